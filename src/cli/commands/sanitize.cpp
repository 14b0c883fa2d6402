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
#include "cli/sanitize_options.hpp"
#include "cli/sanitize_reader.hpp"
#include "cli/sanitize_report.hpp"
#include "cli/sanitize_saved.hpp"
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
// Of a program that has not used CUDA, as NVIDIA's tool ends.
constexpr int kNoCuda = 255;

// The file that the program's process and its children append records to.
RunFile record_file() {
  const auto folder = std::filesystem::canonical(state_folder()).string();
  const FolderLock lock(folder);
  remove_stale_files(folder);
  const auto path = run_path(folder, ".findings");
  if (!std::ofstream(path)) throw CommandError(sim::unusable_file(path, "it cannot be written"), kFailed);
  return RunFile(path);
}

std::FILE* log_file(const std::string& name) {
  if (name.empty()) return stdout;
  const auto path = expanded_path("--log-file", name);
  auto* const out = std::fopen(path.c_str(), "we");
  if (!out) throw CommandError(sim::unusable_file(path, "it cannot be written"), kFailed);
  return out;
}

void write_files(const SanitizeOptions& options, const SanitizeReport& report, const SavedRun& saved,
                 const std::string& program) {
  if (!options.sarif.empty()) write_whole(options.sarif, sanitize_sarif(report.findings()));
  if (!options.junit.empty()) write_whole(options.junit, sanitize_junit(report.findings(), program));
  if (!options.save.empty())
    write_whole(expanded_path("--save", options.save),
                options.xml == "yes" ? sanitize_xml(report.findings()) : saved.text());
  if (!options.json.empty()) write_whole(options.json, sanitize_json(report.findings()));
}

SanitizeReport::Settings settings_of(const SanitizeOptions& options, const sanitize::Options& checks) {
  return {.out = log_file(options.log),
          .print_limit = options.print_limit.value_or(100),
          .prefix = options.prefix,
          .looks_at_status = options.check_exit_code == "yes",
          .is_quiet = options.is_quiet,
          .shows_session = options.shows_session,
          .style = {.shows_host = options.backtrace == "yes" || options.backtrace == "host",
                    .strips_paths = options.strip_paths == "yes",
                    .is_short = options.short_backtrace == "yes",
                    .shows_device = options.backtrace == "yes" || options.backtrace == "device",
                    .host_callers = options.host_callers.value_or(0),
                    .device_callers = options.device_callers.value_or(0),
                    .first_index = options.language == "fortran" ? 1u : 0u,
                    .demangling = options.demangle == "no"       ? sanitize::Demangling::none
                                  : options.demangle == "simple" ? sanitize::Demangling::simple
                                                                 : sanitize::Demangling::full},
          .finds_leaks = checks.finds_leaks,
          .finds_races = checks.racecheck,
          .finds_others = !checks.racecheck || checks.memcheck,
          .least = options.least()};
}

// What all runs of a program share.
struct Job {
  const SanitizeOptions& options;
  const std::vector<std::string>& program;
  std::filesystem::path driver;
  sanitize::Options checks;
  Suppressions suppressions;
  SanitizeReport report;
  SavedRun saved;
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
    if (job.suppressions.hold(finding)) return;
    job.saved.add(finding);
    job.report.take(finding);
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
  job.saved.add_run(seed);
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
  job.saved.add_lines(summary.lines());
  return ended.status;
}

Suppressions suppressions_of(const SanitizeOptions& options) {
  return options.suppressions.empty() ? Suppressions() : Suppressions(options.suppressions);
}

// The report of an earlier run, by the options of this one.
int report_saved(const SanitizeOptions& options) {
  const auto saved = SavedRun::read(options.read);
  SanitizeReport report(settings_of(options, saved.checks()));
  report.begin();
  saved.replay(report, suppressions_of(options));
  write_files(options, report, saved, saved.program());
  return report.errors() == 0 ? 0 : static_cast<int>(options.exit_code.value_or(0));
}

int sanitize_program(const SanitizeOptions& options, const std::vector<std::string>& program) {
  if (!options.read.empty() && program.empty()) return report_saved(options);
  if (!options.read.empty())
    throw CommandError(of_argument(
        "--read", {.kind = sim::ProblemKind::impossible, .what = "a saved run is reported, and no program runs"}));
  if (program.empty())
    throw CommandError(of_argument("sanitize", {.kind = sim::ProblemKind::missing,
                                                .what = "which program? For example: nvmlkit sanitize -- ./program"}));
  const auto checks = options.checks();
  auto suppressions = suppressions_of(options);
  options.machine.export_all();
  setenv("NVMLKIT_CUDA_ENGINE", "interpret", 1);
  Job job{options,
          program,
          checked_driver(),
          checks,
          std::move(suppressions),
          SanitizeReport(settings_of(options, checks)),
          SavedRun(checks, program[0]),
          {}};
  job.report.begin();
  const auto count = options.schedules.value_or(0);
  const int status = count == 0 ? run_once(job, nullptr).status
                                : run_schedules(job, std::max(1u, options.schedule.value_or(1)), count);
  job.report.end(status);
  job.saved.end(status);
  write_files(options, job.report, job.saved, program[0]);
  if (status == 0 && !job.report.has_started() && options.needs_cuda == "yes") return kNoCuda;
  if (job.report.errors() == 0 || options.exit_code.value_or(0) == 0) return end_as(status);
  return static_cast<int>(*options.exit_code);  // also after a program that a signal ended
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
        options->declare(arguments);
        return [options, &node = arguments.node()] { return sanitize_program(*options, node.program); };
      }};
}

}  // namespace nvmlkit::cli
