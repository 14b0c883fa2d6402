// nvmlkit trace replay
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/launch.hpp"
#include "cli/state_files.hpp"
#include "cli/trace_files.hpp"
#include "cli/trace_library.hpp"

namespace nvmlkit::cli {
namespace {

constexpr std::size_t kListed = 10;  // calls outside of the recording that are named

struct ReplayOptions {
  std::string file;
  bool by_time = false, strict = false, real_time = false;
};

// Calls of the program that the recording does not have, or has with other bytes.
struct Reports {
  std::map<std::string, std::uint64_t> outside, close;
};

Reports read_reports(const std::string& path) {
  Reports out;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    const auto space = line.find(' ');
    if (space == std::string::npos) continue;
    auto& kind = line.starts_with("outside ") ? out.outside : out.close;
    ++kind[line.substr(space + 1)];
  }
  return out;
}

std::uint64_t sum_of(const std::map<std::string, std::uint64_t>& counts) {
  std::uint64_t out = 0;
  for (const auto& [call, count] : counts) out += count;
  return out;
}

void say_reports(const Reports& reports) {
  if (!reports.close.empty()) {
    std::string names;
    for (const auto& [name, count] : reports.close) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    fmt::print(stderr, "nvmlkit: {} calls were answered by a recorded call whose struct differs: {}\n",
               sum_of(reports.close), names);
  }
  if (reports.outside.empty()) return;
  fmt::print(stderr, "nvmlkit: {} calls are not in the recording:\n", sum_of(reports.outside));
  std::size_t listed = 0;
  for (const auto& [call, count] : reports.outside) {
    if (++listed > kListed) break;
    fmt::print(stderr, "  {} x {}\n", count, call);
  }
  if (reports.outside.size() > kListed) fmt::print(stderr, "  and {} more\n", reports.outside.size() - kListed);
}

void preload_clock(const std::filesystem::path& library) {
  const char* const others = std::getenv("LD_PRELOAD");
  const bool some = others != nullptr && *others != '\0';
  setenv("LD_PRELOAD", (library.string() + (some ? fmt::format(":{}", others) : "")).c_str(), 1);
}

// The folder of this run: reports, and the word that makes the program's clock that of the recording.
RunFile make_run_folder() {
  const auto folder = std::filesystem::canonical(state_folder()).string();
  const FolderLock lock(folder);
  remove_stale_files(folder);
  const auto path = run_path(folder, ".replay");
  std::filesystem::create_directory(path);
  return RunFile(path);
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream << bytes;
  if (!stream.flush()) throw CommandError(sim::unusable_file(path, "cannot be written"), kFailed);
}

// Nanoseconds from now to a time, as the clock's library reads it.
std::string clock_word(std::uint64_t wall_ns) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t by = static_cast<std::int64_t>(wall_ns) - (now.tv_sec * std::int64_t{1000000000} + now.tv_nsec);
  return {reinterpret_cast<const char*>(&by), sizeof by};
}

int replay_program(const ReplayOptions& options, const std::vector<std::string>& program) {
  if (program.empty())
    throw CommandError(of_argument(
        "trace replay", {.kind = sim::ProblemKind::missing,
                         .what = "which program? For example: nvmlkit trace replay calls -- nvidia-smi -q"}));
  const auto path = std::filesystem::absolute(recording_path(options.file, program.front())).string();
  const auto recording = open_recording(path);
  const auto tracer = trace_directory();
  RunFile run = make_run_folder();
  const auto report = run.path() + "/outside", clock = run.path() + "/clock";
  write_bytes(report, "");
  write_bytes(clock, clock_word(recording.start_ns));
  setenv("NVMLKIT_TRACE_REPLAY", path.c_str(), 1);
  setenv("NVMLKIT_TRACE_BY_TIME", options.by_time ? "1" : "0", 1);
  setenv("NVMLKIT_TRACE_REPORT", report.c_str(), 1);
  unsetenv("NVMLKIT_TRACE_RECORD");
  if (!options.real_time) {
    setenv("NVMLKIT_TRACE_CLOCK", clock.c_str(), 1);
    preload_clock(tracer / "libnvmlkit-clock.so");
  }
  bool outside = false;
  Around around;
  around.after = [&](pid_t) {
    const auto reports = read_reports(report);
    outside = !reports.outside.empty();
    say_reports(reports);
    run.remove();
  };
  const int status = launch_and_wait(tracer, program, around);
  return status == 0 && options.strict && outside ? kFailed : status;
}

}  // namespace

Command trace_replay_command() {
  return {
      .name = "trace replay",
      .summary = "Run a program and answer its NVML calls from a recording",
      .group = Group::real,
      .details =
          "No driver and no machine is needed. The n-th call with the same function and the same arguments gets the "
          "n-th "
          "recorded answer; after the last one, that one again. With --by-time a call gets the answer that was the "
          "last "
          "one at this time since the first call. A call that waited for an event waits as long again.\n\n"
          "A call that the recording does not have returns Unknown Error, and is listed on stderr when the program has "
          "ended. The program's clock shows the time of the recording, unless the program is static.",
      .examples = {{"nvmlkit trace replay calls -- nvidia-smi -q", "the only recording of nvidia-smi in a folder"},
                   {"nvmlkit trace replay --strict calls/app-4711.nvtrace -- ./app", "fail if a call is missing"},
                   {"nvmlkit trace replay --by-time calls -- nvtop", "a program that looks again and again"}},
      .declare = [](Arguments& arguments) -> Action {
        const auto options = std::make_shared<ReplayOptions>();
        arguments.argument("FILE", Kind::file, options->file, "The recording, or a folder with one of this program")
            .required();
        arguments.program("PROGRAM", "The program and its arguments; from its name on, all belongs to it");
        arguments.flag("--by-time", options->by_time,
                       "Answer by the time since the first call, not by the number of calls");
        arguments.flag("--strict", options->strict, "End with status 1 if a call is not in the recording");
        arguments.flag("--real-time", options->real_time, "Leave the program's clock as it is");
        return [options, &node = arguments.node()] { return replay_program(*options, node.program); };
      }};
}

}  // namespace nvmlkit::cli
