// nvmlkit trace convert
#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/trace_files.hpp"
#include "trace/text.hpp"

namespace nvmlkit::cli {
namespace {

struct ConvertOptions {
  std::string file, output;
  bool as_json = false;
};

void write_lines(const trace::Recording& recording, std::ostream& out) {
  std::uint64_t left_out = 0;
  out << trace::replay_header(recording) << '\n';
  for (const auto& record : recording.records) {
    const auto call = recording.call(record);
    const auto line = call ? trace::replay_line(recording, *call) : std::string();
    if (line.empty())
      ++left_out;
    else
      out << line << '\n';
  }
  out.flush();
  if (left_out > 0)
    fmt::print(stderr, "nvmlkit: {} calls are left out: private functions, and structs with pointers\n", left_out);
}

int convert_recording(const ConvertOptions& options) {
  const auto recording = open_recording(recording_path(options.file));
  if (options.output.empty()) {
    write_lines(recording, std::cout);
    return 0;
  }
  std::ofstream out(options.output, std::ios::binary);
  write_lines(recording, out);
  if (!out) throw CommandError(sim::unusable_file(options.output, "cannot be written"), kFailed);
  return 0;
}

}  // namespace

Command trace_convert_command() {
  return {.name = "trace convert",
          .summary = "Write a recording as lines of JSON, for interpose::Replay of the bindings",
          .group = Group::real,
          .details =
              "The format is that of `interpose::Recorder`: a unit test in C++ opens it with "
              "`interpose::Replay::from_file`. Private functions are left out.",
          .examples = {{"nvmlkit trace convert --json calls/app-4711.nvtrace -o app.trace", "for a unit test"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<ConvertOptions>();
            arguments.argument("FILE", Kind::file, options->file, "The recording, or a folder with one").required();
            arguments.option("-o,--output", Kind::file, options->output, "The file").default_text("standard output");
            arguments.flag("--json", options->as_json, "Lines of JSON; the only format there is");
            return [options] { return convert_recording(*options); };
          }};
}

}  // namespace nvmlkit::cli
