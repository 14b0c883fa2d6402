// nvmlkit capture
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "capture/machine.hpp"
#include "capture/scrub.hpp"
#include "capture/walk.hpp"
#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/library.hpp"

namespace nvmlkit::cli {
namespace {

struct CaptureOptions {
  LibraryOptions library;
  std::string output;   // the machine file; empty: standard output, or none where there are `answers`
  std::string answers;  // where all answers go, as JSON; empty: nowhere
  bool scrub = false;
  bool verbose = false;
};

void write_captured(const std::string& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw CommandError(sim::unusable_file(file, "cannot be written"));
}

void report_comparison(const capture::Captured& captured, bool verbose) {
  for (const auto& note : captured.notes) fmt::print(stderr, "nvmlkit: {}\n", note);
  const auto& [equal, different] = captured.comparison;
  fmt::print(stderr, "nvmlkit: the machine file gives {} of {} answers{}\n", equal, equal + different.size(),
             different.empty() || verbose ? "" : " (--verbose lists the others)");
  if (verbose)
    for (const auto& line : different) fmt::print(stderr, "{}\n", line);
}

int capture_machine(const CaptureOptions& options) {
  const auto library = open_library(options.library.choose());
  auto answers = capture::ask_everything(library);
  if (options.scrub) capture::scrub(answers);
  if (!options.answers.empty()) {
    write_captured(options.answers,
                   capture::to_json(answers).dump(1, ' ', false, capture::Json::error_handler_t::replace) + "\n");
    if (options.output.empty()) return 0;
  }
  const auto captured = value_of(capture::machine_file(answers));
  report_comparison(captured, options.verbose);
  if (options.output.empty())
    fmt::print("{}", captured.yaml);
  else
    write_captured(options.output, captured.yaml);
  return 0;
}

}  // namespace

Command capture_command() {
  return {.name = "capture",
          .summary = "Make a machine file of this machine: ask its NVIDIA driver everything, and change nothing",
          .group = Group::real,
          .details =
              "Calls only functions that read: nothing of the machine changes, nothing waits, no setting is "
              "touched. Root sees more than others.\n\n"
              "The file is for `nvmlkit run -c FILE`. Look at the file before you send it to others.",
          .examples = {{"nvmlkit capture -o machine.yaml", "the machine file of this computer"},
                       {"nvmlkit capture --scrub -o machine.yaml", "without its serial numbers and UUIDs"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<CaptureOptions>();
            arguments.option("-o,--output", Kind::file, options->output, "The machine file to write")
                .default_text("standard output");
            arguments.option("--answers", Kind::file, options->answers,
                             "Write every answer to this file, as JSON; without -o nothing else is written");
            arguments.flag("--scrub", options->scrub, "Replace serial numbers and UUIDs, the same by the same");
            arguments.flag("-v,--verbose", options->verbose, "List what the machine file answers otherwise");
            options->library.declare(arguments);
            return [options] { return capture_machine(*options); };
          }};
}

}  // namespace nvmlkit::cli
