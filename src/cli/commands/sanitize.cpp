// nvmlkit sanitize
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/host_symbols.hpp"
#include "cli/launch.hpp"
#include "cli/library.hpp"
#include "cli/machine_options.hpp"
#include "cli/sanitize_reader.hpp"
#include "cli/sanitize_report.hpp"
#include "cli/sanitize_suppressions.hpp"
#include "cli/state_files.hpp"
#include "cli/whole_file.hpp"
#include "sanitize/options.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::cli {
namespace {

struct SanitizeOptions {
  MachineOptions machine;
  std::string tool = "memcheck", leak_check = "no", calls = "explicit", on_error = "context", backtrace = "yes";
  std::string level = "warn", processes = "all", save, xml = "no", json, log;
  std::string sarif, junit, suppressions;
  std::vector<std::string> names, patterns;
  std::optional<std::uint32_t> exit_code, patience, launch_count, launch_skip, print_limit;
};

// kernel_name=add, kernel_substring=ad or, in NVIDIA's short form, kns=ad. Without a key: a part of the name.
sanitize::KernelFilter filter_of(const std::string& text, bool is_pattern) {
  using Match = sanitize::KernelFilter::Match;
  const auto equal = text.find('=');
  const auto key = equal == text.npos ? "" : text.substr(0, equal);
  const auto value = text.substr(equal == text.npos ? 0 : equal + 1);
  if (is_pattern && (key.empty() || key == "kernel_regex" || key == "kns" || key == "kne" || key == "regex"))
    return {Match::pattern, value};
  if (key == "kernel_name" || key == "kne") return {Match::name, value};
  if (key == "kernel_substring" || key == "kns" || key.empty()) return {Match::part, value};
  if (key == "kernel_mangled_name") return {Match::mangled, value};
  throw CommandError(of_argument(
      is_pattern ? "--kernel-regex" : "--kernel-name",
      sim::wrong_value("kernel_name=NAME, kernel_substring=PART or their short forms kne, kns", sim::quote(text))));
}

sanitize::Options checks_of(const SanitizeOptions& o) {
  if (!o.save.empty() && o.xml != "yes")
    throw CommandError(
        of_argument("--save", {.kind = sim::ProblemKind::impossible,
                               .what = "only with --xml yes: NVIDIA's own form of file is not written"}));
  sanitize::Options out;
  const bool all = o.tool == "all";
  out.memcheck = all || o.tool == "memcheck";
  out.initcheck = all || o.tool == "initcheck";
  out.racecheck = all || o.tool == "racecheck";
  out.synccheck = all || o.tool == "synccheck";
  out.finds_leaks = all || o.tool == "leakcheck" || o.leak_check == "full";
  out.reports_calls = out.memcheck && o.calls != "no";
  out.ends_context = o.on_error == "context";
  for (const auto& name : o.names) out.kernels.push_back(filter_of(name, false));
  for (const auto& pattern : o.patterns) out.kernels.push_back(filter_of(pattern, true));
  out.patience_s = o.patience.value_or(10);
  out.launch_skip = o.launch_skip.value_or(0);
  out.launch_count = o.launch_count.value_or(0);
  return out;
}

// The file that the program's process and its children append records to.
RunFile record_file() {
  const auto folder = std::filesystem::canonical(state_folder()).string();
  const FolderLock lock(folder);
  remove_stale_files(folder);
  const auto path = run_path(folder, ".findings");
  if (!std::ofstream(path)) throw CommandError(sim::unusable_file(path, "it cannot be written"), kFailed);
  return RunFile(path);
}

std::FILE* log_file(const std::string& path) {
  if (path.empty()) return stdout;
  auto* const out = std::fopen(path.c_str(), "we");
  if (!out) throw CommandError(sim::unusable_file(path, "it cannot be written"), kFailed);
  return out;
}

void write_files(const SanitizeOptions& options, const SanitizeReport& report, const std::string& program) {
  if (!options.sarif.empty()) write_whole(options.sarif, sanitize_sarif(report.findings()));
  if (!options.junit.empty()) write_whole(options.junit, sanitize_junit(report.findings(), program));
  if (!options.save.empty()) write_whole(options.save, sanitize_xml(report.findings()));
  if (!options.json.empty()) write_whole(options.json, sanitize_json(report.findings()));
}

int sanitize_program(const SanitizeOptions& options, const std::vector<std::string>& program) {
  if (program.empty())
    throw CommandError(of_argument("sanitize", {.kind = sim::ProblemKind::missing,
                                                .what = "which program? For example: nvmlkit sanitize -- ./program"}));
  auto checks = checks_of(options);
  const Suppressions suppressions = options.suppressions.empty() ? Suppressions() : Suppressions(options.suppressions);
  options.machine.export_all();
  const auto driver = checked_driver();
  RunFile state;
  if (!options.machine.state()) {
    state = make_run_state(options.machine.choice().machine);
    setenv("NVMLKIT_STATE", state.path().c_str(), 1);
  }
  RunFile records = record_file();
  checks.path = records.path();
  setenv("NVMLKIT_CUDA_ENGINE", "interpret", 1);
  SanitizeReport report({.out = log_file(options.log),
                         .print_limit = options.print_limit.value_or(100),
                         .shows_host = options.backtrace == "yes" || options.backtrace == "host",
                         .finds_leaks = checks.finds_leaks,
                         .finds_races = checks.racecheck,
                         .finds_others = !checks.racecheck || checks.memcheck,
                         .least = options.level == "info"   ? sanitize::Severity::info
                                  : options.level == "warn" ? sanitize::Severity::warning
                                                            : sanitize::Severity::error});
  report.begin();
  HostSymbols symbols;
  SanitizeReader reader(records.path(), [&](auto finding) {
    symbols.name(finding);
    if (!suppressions.hold(finding)) report.take(finding);
  });
  Around around;
  around.before = [&] {
    if (options.processes == "application-only") checks.only_process = static_cast<std::uint64_t>(getpid());
    setenv(sanitize::kVariable, checks.encoded().c_str(), 1);
    return 0;
  };
  around.after = [&](pid_t) {
    reader.end();
    report.end();
    write_files(options, report, program[0]);
    records.remove();
    state.remove();
    if (report.errors() == 0 || options.exit_code.value_or(0) == 0) return;
    std::fflush(nullptr);
    _exit(static_cast<int>(*options.exit_code));  // also after a program that a signal ended
  };
  return launch_and_wait(driver, program, around);
}

void declare_checks(Arguments& arguments, SanitizeOptions& o) {
  arguments.section("Checks");
  arguments.option("--tool", Kind::text, o.tool, "What is checked")
      .only({"memcheck", "initcheck", "leakcheck", "racecheck", "synccheck", "all"})
      .default_text("memcheck");
  arguments.option("--leak-check", Kind::text, o.leak_check, "Memory that is not freed at the end")
      .only({"full", "no"})
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
  arguments
      .option(
          "--kernel-name", Kind::text, o.names,
          "Check only kernels with this name (`kernel_name=`, `kne=`) or part of a name (`kernel_substring=`, `kns=`)")
      .label("FILTER");
  arguments.option("--kernel-regex", Kind::text, o.patterns, "Check only kernels whose name matches (`kns=`)")
      .label("FILTER");
  arguments.option("--launch-skip", o.launch_skip, "Leave out so many launches of these kernels first").label("N");
  arguments.option("--launch-count", o.launch_count, "Check so many launches of these kernels").label("N");
  arguments
      .option("--hang-timeout", o.patience,
              "Of synccheck: threads that only look at memory for so many seconds count as a deadlock")
      .label("SECONDS")
      .default_text("10");
  arguments.option("--target-processes", Kind::text, o.processes, "The program alone, or its children too")
      .only({"all", "application-only"})
      .default_text("all");
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
      .only({"info", "warn", "error"})
      .default_text("warn");
  arguments.option("--show-backtrace", Kind::text, o.backtrace, "The host's calls; `device` leaves them out")
      .only({"yes", "host", "device", "no"})
      .default_text("yes");
  arguments.option("--log-file", Kind::file, o.log, "Write the report to a file and not to stdout");
  arguments.option("--xml", Kind::text, o.xml, "Of --save: write XML").only({"yes", "no"}).default_text("no");
  arguments.option("--save", Kind::file, o.save, "Write the findings to a file, with --xml yes");
  arguments.option("--sarif", Kind::file, o.sarif, "Write the findings to a file, as SARIF, for code review");
  arguments.option("--junit", Kind::file, o.junit, "Write the findings to a file, as JUnit, for CI");
  arguments.option("--suppressions", Kind::file, o.suppressions,
                   "Leave out findings that this file lists, in the form that --save writes; texts may be patterns");
  arguments.option("--suppress", Kind::file, o.suppressions, "The same as --suppressions");
  arguments.option("--json", Kind::file, o.json, "Write the findings to a file, as JSON");
}

}  // namespace

Command sanitize_command() {
  return {
      .name = "sanitize",
      .summary = "Check what the kernels of a program do with memory",
      .group = Group::programs,
      .details =
          "The report has the form of NVIDIA's compute-sanitizer, which needs a GPU. The program `compute-sanitizer` "
          "beside this one takes the same options.",
      .examples = {{"nvmlkit sanitize -- ./program", "accesses out of bounds and misaligned, errors of calls"},
                   {"nvmlkit sanitize --leak-check full --error-exitcode 1 -- ./tests", "in CI"},
                   {"nvmlkit sanitize --tool initcheck -m a100 -- ./program", "reads of memory that nothing wrote"}},
      .declare = [](Arguments& arguments) -> Action {
        const auto options = std::make_shared<SanitizeOptions>();
        arguments.program("PROGRAM", "The program and its arguments; from its name on, all belongs to it");
        declare_checks(arguments, *options);
        declare_report(arguments, *options);
        options->machine.declare(arguments);
        return [options, &node = arguments.node()] { return sanitize_program(*options, node.program); };
      }};
}

}  // namespace nvmlkit::cli
