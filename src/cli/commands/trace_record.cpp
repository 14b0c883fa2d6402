// nvmlkit trace record
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/launch.hpp"
#include "cli/library.hpp"
#include "cli/machine.hpp"
#include "cli/machine_options.hpp"
#include "cli/state_files.hpp"
#include "cli/trace_files.hpp"
#include "cli/trace_library.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/amounts.hpp"
#include "trace/writer.hpp"

namespace nvmlkit::cli {
namespace {

constexpr const char* kDefaultFolder = "nvmlkit-trace";

struct RecordOptions {
  std::string folder = kDefaultFolder, limit, library;
  MachineOptions machine;
};

std::uint64_t limit_of(const RecordOptions& options) {
  if (options.limit.empty()) return trace::WriterOptions::kDefaultLimit;
  const auto bytes = sim::text::bytes_of(options.limit);
  if (!bytes || *bytes < trace::WriterOptions::kLeastLimit)
    throw CommandError(of_argument(
        "--limit",
        sim::wrong_value("at least 256KiB: bytes, or a number with KiB, MiB or GiB", sim::quote(options.limit))));
  return *bytes;
}

// The library behind the recording one: of --library, of a machine that an option names, else what the program gets
// without a recording.
std::string recorded_library(const RecordOptions& options) {
  if (!options.library.empty()) {
    const auto path = std::filesystem::absolute(options.library).string();
    if (!std::filesystem::exists(path))
      throw CommandError(of_argument("--library", sim::unusable_file(path, "there is no such file")));
    return path;
  }
  if (!options.machine.given()) return found_library();
  const auto driver = checked_driver();
  setenv("LD_LIBRARY_PATH", search_path(driver).c_str(), 1);
  return (driver / "libnvidia-ml.so.1").string();
}

void say_what_came(const std::string& folder, const std::vector<std::string>& before) {
  bool some = false;
  for (const auto& path : recordings_in(folder)) {
    if (std::ranges::find(before, path) != before.end()) continue;
    const auto recording = trace::read(path);
    if (!recording) continue;
    some = true;
    fmt::print(stderr, "nvmlkit: {}: {} calls of {}\n", path, recording->records.size(), recording->program);
    say_what_is_lost(*recording, path);
  }
  if (!some)
    fmt::print(stderr,
               "nvmlkit: no process called NVML through the library that records (a static program, or one that "
               "loads the library by its path?)\n");
}

int record_program(const RecordOptions& options, const std::vector<std::string>& program) {
  if (program.empty())
    throw CommandError(of_argument(
        "trace record", {.kind = sim::ProblemKind::missing,
                         .what = "which program? For example: nvmlkit trace record -o calls -- nvidia-smi -q"}));
  const auto limit = limit_of(options);
  options.machine.export_all();
  const auto library = recorded_library(options);
  const auto tracer = trace_directory();
  RunFile state;
  if (options.machine.given() && !options.machine.state()) {
    state = make_run_state(options.machine.choice().machine);
    setenv("NVMLKIT_STATE", state.path().c_str(), 1);
  }
  std::error_code error;
  const auto folder = std::filesystem::absolute(options.folder).lexically_normal().string();
  std::filesystem::create_directories(folder, error);
  if (error) throw CommandError(sim::unusable_file(folder, error.message()), kFailed);
  const auto earlier = recordings_in(folder);
  setenv("NVMLKIT_TRACE_RECORD", folder.c_str(), 1);
  setenv("NVMLKIT_TRACE_LIBRARY", library.c_str(), 1);
  setenv("NVMLKIT_TRACE_LIMIT", std::to_string(limit).c_str(), 1);
  unsetenv("NVMLKIT_TRACE_REPLAY");
  Around around;
  around.after = [&](pid_t) {
    say_what_came(folder, earlier);
    state.remove();
  };
  return launch_and_wait(tracer, program, around);
}

}  // namespace

Command trace_record_command() {
  return {.name = "trace record",
          .summary = "Run a program and write each of its NVML calls to a file",
          .group = Group::real,
          .details =
              "A library stands in front of the one that the program gets without this command: of the NVIDIA driver, "
              "or of a machine. It passes each call on, and writes arguments, answer, time and thread to the file "
              "FOLDER/PROGRAM-PID.nvtrace, one for each process. Private functions of nvidia-smi are recorded too. "
              "The exit status is that of the program.\n\n"
              "A file is complete up to the last finished call, also if the process is killed. When it reaches its "
              "limit, the first calls and the newest calls stay.",
          .examples = {{"nvmlkit trace record -o calls -- nvidia-smi -q", "on the NVIDIA driver of this computer"},
                       {"nvmlkit trace record -m h100 -- nvidia-smi -L", "on a machine of the command's own"},
                       {"nvmlkit trace record --limit 1GiB -- dcgm-exporter", "a long recording"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<RecordOptions>();
            arguments.program("PROGRAM", "The program and its arguments; from its name on, all belongs to it");
            arguments.option("-o,--output", Kind::folder, options->folder, "The folder of the files; it is made")
                .default_text(kDefaultFolder);
            arguments
                .option("--limit", Kind::text, options->limit,
                        "How large a file may become: bytes, or as 512MiB or 2GiB")
                .default_text("64MiB")
                .label("SIZE");
            arguments.option("--library", Kind::file, options->library, "The NVML library that is recorded")
                .default_text("the one that the program gets without a recording");
            options->machine.declare(arguments);
            return [options, &node = arguments.node()] { return record_program(*options, node.program); };
          }};
}

}  // namespace nvmlkit::cli
