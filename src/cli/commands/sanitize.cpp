// nvmlkit sanitize
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
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
#include "cli/sanitize_filters.hpp"
#include "cli/sanitize_reader.hpp"
#include "cli/sanitize_report.hpp"
#include "cli/sanitize_schedules.hpp"
#include "cli/sanitize_suppressions.hpp"
#include "cli/state_files.hpp"
#include "cli/whole_file.hpp"
#include "sanitize/options.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::cli {
namespace {

// How long a run with a seed may take, by the duration of the usual one.
constexpr std::chrono::seconds kLeastPatience{60};
constexpr int kPatience = 20;

struct SanitizeOptions {
  MachineOptions machine;
  std::string tool = "memcheck", leak_check = "no", calls = "explicit", on_error = "context", backtrace = "yes";
  std::string unused = "no", level = "warn", processes = "all", save, xml = "no", json, log;
  std::string sarif, junit, suppressions;
  std::vector<std::string> names, patterns;
  std::optional<std::uint32_t> exit_code, patience, launch_count, launch_skip, print_limit, schedule, schedules;
};

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
  out.finds_unused = out.initcheck && o.unused == "yes";
  out.reports_calls = out.memcheck && o.calls != "no";
  out.ends_context = o.on_error == "context";
  for (const auto& name : o.names) out.kernels.push_back(sanitize_filter(name, false));
  for (const auto& pattern : o.patterns) out.kernels.push_back(sanitize_filter(pattern, true));
  out.seed = o.schedule.value_or(0);
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

SanitizeReport::Settings settings_of(const SanitizeOptions& options, const sanitize::Options& checks) {
  return {.out = log_file(options.log),
          .print_limit = options.print_limit.value_or(100),
          .shows_host = options.backtrace == "yes" || options.backtrace == "host",
          .finds_leaks = checks.finds_leaks,
          .finds_races = checks.racecheck,
          .finds_others = !checks.racecheck || checks.memcheck,
          .least = options.level == "info"   ? sanitize::Severity::info
                   : options.level == "warn" ? sanitize::Severity::warning
                                             : sanitize::Severity::error};
}

// What all runs of a program share.
struct Job {
  const SanitizeOptions& options;
  const std::vector<std::string>& program;
  std::filesystem::path driver;
  sanitize::Options checks;
  Suppressions suppressions;
  SanitizeReport report;
  HostSymbols symbols;
};

// One run, on a machine of its own; `output` may be null.
Ended run_once(Job& job, CapturedOutput* output, std::chrono::seconds longest = {}) {
  RunFile state, records = record_file();
  if (!job.options.machine.state()) {
    state = make_run_state(job.options.machine.choice().machine);
    setenv("NVMLKIT_STATE", state.path().c_str(), 1);
  }
  job.checks.path = records.path();
  SanitizeReader reader(records.path(), [&](auto finding) {
    job.symbols.name(finding);
    if (!job.suppressions.hold(finding)) job.report.take(finding);
  });
  Around around;
  around.longest = longest;
  around.before = [&] {
    if (job.options.processes == "application-only") job.checks.only_process = static_cast<std::uint64_t>(getpid());
    setenv(sanitize::kVariable, job.checks.encoded().c_str(), 1);
    if (output) output->enter();
    return 0;
  };
  around.after = [&](pid_t) { reader.end(); };
  const auto ended = launch_and_watch(job.driver, job.program, around);
  if (state) unsetenv("NVMLKIT_STATE");  // the next run has another one
  return ended;
}

ScheduledRun run_with_seed(Job& job, std::uint64_t seed, std::chrono::seconds longest = {}) {
  job.checks.seed = seed;
  job.report.begin_run(seed);
  if (seed != 0) lseek(STDIN_FILENO, 0, SEEK_SET);  // of a file; others are read once
  CapturedOutput output(seed == 0);
  ScheduledRun out{.seed = seed, .ended = run_once(job, &output, longest), .output = {}};
  out.output = output.end();
  return out;
}

// The usual order, then a run for each seed.
int run_schedules(Job& job, std::uint64_t first, std::uint64_t count) {
  const auto begun = std::chrono::steady_clock::now();
  auto usual = run_with_seed(job, 0);
  const auto ended = usual.ended;
  const auto took = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun);
  ScheduleSummary summary(std::move(usual));
  bool is_interrupted = ended.is_interrupted || ended.status < 0;
  for (std::uint64_t seed = first; seed - first < count && !is_interrupted; ++seed) {
    const auto longest = kLeastPatience + kPatience * took;
    const auto run = run_with_seed(job, seed, longest);
    is_interrupted = run.ended.is_interrupted;
    std::optional<ScheduledRun> again;
    if (!is_interrupted && summary.compares_output() && !run.ended.is_late && summary.is_different(run))
      again = run_with_seed(job, seed, longest);
    summary.add(run, again ? &*again : nullptr);
  }
  job.report.print(summary.lines());
  return ended.status;
}

int sanitize_program(const SanitizeOptions& options, const std::vector<std::string>& program) {
  if (program.empty())
    throw CommandError(of_argument("sanitize", {.kind = sim::ProblemKind::missing,
                                                .what = "which program? For example: nvmlkit sanitize -- ./program"}));
  const auto checks = checks_of(options);
  Suppressions suppressions = options.suppressions.empty() ? Suppressions() : Suppressions(options.suppressions);
  options.machine.export_all();
  setenv("NVMLKIT_CUDA_ENGINE", "interpret", 1);
  Job job{
      options, program, checked_driver(), checks, std::move(suppressions), SanitizeReport(settings_of(options, checks)),
      {}};
  job.report.begin();
  const auto count = options.schedules.value_or(0);
  const int status = count == 0 ? run_once(job, nullptr).status
                                : run_schedules(job, std::max(1u, options.schedule.value_or(1)), count);
  job.report.end();
  write_files(options, job.report, program[0]);
  if (job.report.errors() == 0 || options.exit_code.value_or(0) == 0) return end_as(status);
  return static_cast<int>(*options.exit_code);  // also after a program that a signal ended
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
