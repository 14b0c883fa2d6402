#include "cli/sanitize_options.hpp"

#include <algorithm>

#include "cli/command_error.hpp"
#include "cli/sanitize_filters.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::cli {

sanitize::Options SanitizeOptions::checks() const {
  const auto& o = *this;
  sanitize::Options out;
  const bool all = o.tool == "all";
  out.memcheck = all || o.tool == "memcheck";
  out.initcheck = all || o.tool == "initcheck";
  out.racecheck = all || o.tool == "racecheck";
  out.synccheck = all || o.tool == "synccheck";
  out.finds_leaks = all || o.tool == "leakcheck" || o.leak_check == "full";
  out.finds_unused = out.initcheck && o.unused == "yes";
  out.reports_calls = out.memcheck && o.calls != "no";
  out.ends_context = o.on_error == "context";
  for (const auto& text : o.names) add_sanitize_filters(out.kernels, "--kernel-name", text, false);
  for (const auto& text : o.patterns) add_sanitize_filters(out.kernels, "--kernel-regex", text, true);
  for (const auto& text : o.names_left_out) add_sanitize_filters(out.left_out, "--kernel-name-exclude", text, false);
  for (const auto& text : o.patterns_left_out) add_sanitize_filters(out.left_out, "--kernel-regex-exclude", text, true);
  out.seed = o.schedule.value_or(0);
  out.patience_s = o.patience.value_or(10);
  out.launch_skip = o.launch_skip.value_or(0);
  out.launch_count = o.launch_count.value_or(0);
  return out;
}

sanitize::Severity SanitizeOptions::least() const {
  const auto severity = [](const std::string& text) {
    return text == "info"                     ? sanitize::Severity::info
           : text == "warn" || text == "auto" ? sanitize::Severity::warning
                                              : sanitize::Severity::error;
  };
  return std::max(severity(level), severity(race_level));
}

namespace {

void declare_kernels(Arguments& arguments, SanitizeOptions& o) {
  arguments
      .option(
          "--kernel-name", Kind::text, o.names,
          "Check only kernels with this name (`kernel_name=`, `kne=`), part of a name (`kernel_substring=`, `kns=`) or "
          "pattern (`regex=`); any of several, with commas between them")
      .label("FILTER");
  arguments.option("--kernel-name-exclude", Kind::text, o.names_left_out, "Leave these kernels out").label("FILTER");
  arguments.option("--kernel-regex", Kind::text, o.patterns, "Check only kernels whose name matches (`kns=`)")
      .label("FILTER");
  arguments.option("--kernel-regex-exclude", Kind::text, o.patterns_left_out, "Leave out kernels whose name matches")
      .label("FILTER");
  arguments.option("--launch-skip", o.launch_skip, "Leave out so many launches of these kernels first").label("N");
  arguments.option("--launch-count", o.launch_count, "Check so many launches of these kernels").label("N");
}

void declare_checks(Arguments& arguments, SanitizeOptions& o) {
  arguments.section("Checks");
  arguments.option("--tool", Kind::text, o.tool, "What is checked")
      .only({"memcheck", "initcheck", "leakcheck", "racecheck", "synccheck", "all"})
      .default_text("memcheck");
  arguments.option("--leak-check", Kind::text, o.leak_check, "Memory that is not freed at the end")
      .only({"full", "no"})
      .default_text("no");
  arguments.option("--track-unused-memory", Kind::text, o.unused, "Of initcheck: allocations that nothing writes whole")
      .only({"yes", "no"})
      .default_text("no");
  arguments
      .option("--report-api-errors", Kind::text, o.calls, "Calls that return an error; `all` is the same as `explicit`")
      .only({"all", "explicit", "no"})
      .default_text("explicit");
  arguments
      .option(
          "--destroy-on-device-error", Kind::text, o.on_error,
          "What an error of a kernel ends: the context, so that later calls fail, or the threads with the error only")
      .only({"context", "kernel"})
      .default_text("context");
  declare_kernels(arguments, o);
  arguments
      .option("--hang-timeout", o.patience,
              "Of synccheck: threads that only look at memory for so many seconds count as a deadlock")
      .label("SECONDS")
      .default_text("10");
  arguments
      .option("--schedule", o.schedule,
              "Another order of warps and blocks, by this seed; the same seed is the same order. 0: the usual one")
      .label("SEED")
      .default_text("0");
  arguments
      .option("--schedules", o.schedules,
              "Run the program in the usual order and then with so many seeds, and report which of them change its "
              "output or its end")
      .label("N");
  arguments.option("--target-processes", Kind::text, o.processes, "The program alone, or its children too")
      .only({"all", "application-only"})
      .default_text("all");
  arguments
      .option("--require-cuda-init", Kind::text, o.needs_cuda,
              "End with status 255 if the program ends well and has not used CUDA")
      .only({"yes", "no"})
      .default_text("yes");
}

void declare_text(Arguments& arguments, SanitizeOptions& o) {
  arguments.flag("--quiet", o.is_quiet, "Print findings and errors only, without head and summaries");
  arguments.option("--demangle", Kind::text, o.demangle, "Names of device functions: whole, without arguments, mangled")
      .only({"full", "simple", "no"})
      .default_text("full");
  arguments.option("--num-callers-host", o.host_callers, "Print so many frames of the host; 0 for all").label("N");
  arguments.option("--num-callers-device", o.device_callers, "Print so many callers on the device; 0 for all")
      .label("N");
  arguments.option("--language", Kind::text, o.language, "In reports on Fortran, threads and blocks count from 1")
      .only({"c", "fortran"})
      .default_text("c");
  arguments.flag("--print-session-details", o.shows_session, "Print the process and command line of each program");
  arguments.flag("--save-session-details", o.saves_session, "Taken for NVIDIA's scripts: --save always has them");
  arguments
      .option("--racecheck-detect-level", Kind::text, o.race_level, "As --print-level; the higher one of both counts")
      .only({"info", "warn", "error"})
      .default_text("info");
}

void declare_report(Arguments& arguments, SanitizeOptions& o) {
  arguments.section("Report");
  arguments.option("--error-exitcode", o.exit_code, "Exit status if there are findings; else that of the program")
      .label("N");
  arguments.option("--print-limit", o.print_limit, "Print so many findings; 0 for all").label("N").default_text("100");
  arguments
      .option("--print-level", Kind::text, o.level,
              "The least that is reported of races: also those that write the same value (info), or not those of one "
              "warp (error)")
      .only({"info", "auto", "warn", "error", "fatal"})
      .default_text("auto");
  arguments.option("--show-backtrace", Kind::text, o.backtrace, "The calls of host and device that led to a place")
      .only({"yes", "host", "device", "no"})
      .default_text("yes");
  arguments
      .option("--backtrace-short", Kind::text, o.short_backtrace,
              "The host's calls up to main(), without those of the runtime")
      .only({"yes", "no"})
      .default_text("yes");
  arguments.option("--strip-paths", Kind::text, o.strip_paths, "Names of files without their folders")
      .only({"yes", "no"})
      .default_text("yes");
  arguments
      .option("--check-exit-code", Kind::text, o.check_exit_code,
              "Say so if the program ends with another status than 0")
      .only({"yes", "no"})
      .default_text("yes");
  arguments.option("--prefix", Kind::text, o.prefix, "What each line of the report begins with")
      .default_text("=========");
  declare_text(arguments, o);
  arguments.option("--log-file", Kind::file, o.log,
                   "Write the report to a file and not to stdout; %p in its name is the PID, %q{NAME} a variable");
  arguments.option("--xml", Kind::text, o.xml, "Of --save: write XML").only({"yes", "no"}).default_text("no");
  arguments.option("--save", Kind::file, o.save,
                   "Write the findings to a file, for --read or as XML; %p and %q{NAME} too");
  arguments.option("--read", Kind::file, o.read, "Report what --save wrote, and run no program");
  arguments.option("--sarif", Kind::file, o.sarif, "Write the findings to a file, as SARIF, for code review");
  arguments.option("--junit", Kind::file, o.junit, "Write the findings to a file, as JUnit, for CI");
  arguments.option("--suppressions", Kind::file, o.suppressions,
                   "Leave out findings that this file lists, in the form that --save writes; texts may be patterns");
  arguments.option("--suppress", Kind::file, o.suppressions, "The same as --suppressions");
  arguments.option("--json", Kind::file, o.json, "Write the findings to a file, as JSON");
}

}  // namespace

void SanitizeOptions::declare(Arguments& arguments) {
  declare_checks(arguments, *this);
  declare_report(arguments, *this);
  machine.declare(arguments);
}

}  // namespace nvmlkit::cli
