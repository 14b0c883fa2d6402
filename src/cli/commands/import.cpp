// nvmlkit import
#include "smi_log/import.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"

namespace nvmlkit::cli {
namespace {

struct ImportOptions {
  std::vector<std::string> files;
  std::string output;
  bool verbose = false;
};

// Stops at the first part that no output of nvidia-smi has.
void read_all(std::istream& stream, smi_log::Input& input) {
  constexpr std::size_t kPart = 1 << 16;
  std::vector<char> part(kPart);
  while (stream.read(part.data(), kPart) || stream.gcount() > 0) {
    input.text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
    if (input.text.size() <= kPart || input.text.size() > smi_log::kMostBytes)
      if (auto good = smi_log::check_text(input.name, input.text); !good) throw CommandError(good.error());
  }
}

smi_log::Input read_input(const std::string& file) {
  smi_log::Input input{file == "-" ? "standard input" : file, {}};
  if (file == "-") {
    read_all(std::cin, input);
    return input;
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw CommandError(sim::unusable_file(file, "cannot be read"));
  read_all(stream, input);
  if (stream.bad()) throw CommandError(sim::unusable_file(file, "cannot be read"));
  return input;
}

void report_import(const smi_log::Imported& imported, bool verbose) {
  for (const auto& note : imported.notes) fmt::print(stderr, "nvmlkit: {}\n", note);
  const auto& not_kept = imported.leftovers.not_kept;
  const auto& unknown = imported.leftovers.unknown;
  const auto& others = imported.leftovers.others;
  if (not_kept.empty() && unknown.empty() && others.empty()) return;
  if (verbose) {
    for (const auto& line : not_kept) fmt::print(stderr, "not kept: {}\n", line);
    for (const auto& line : unknown) fmt::print(stderr, "unknown: {}\n", line);
    for (const auto& line : others) fmt::print(stderr, "other: {}\n", line);
  }
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  fmt::print(stderr, "nvmlkit: not in the machine: {} that it has no field for, {}, {}{}\n",
             counted(not_kept.size(), "value"), counted(unknown.size(), "unknown line"),
             counted(others.size(), "other line"), verbose ? "" : " (--verbose lists them)");
}

// "-" as a file is standard input; an empty `output` is standard output.
int import_files(const ImportOptions& options) {
  std::vector<smi_log::Input> inputs;
  for (const auto& file : options.files) inputs.push_back(read_input(file));
  const auto imported = value_of(smi_log::import_outputs(inputs));
  if (options.output.empty()) {
    fmt::print("{}", imported.yaml);
  } else {
    std::ofstream stream(options.output, std::ios::binary);
    stream << imported.yaml;
    if (!stream.flush()) throw CommandError(sim::unusable_file(options.output, "cannot be written"));
  }
  report_import(imported, options.verbose);
  return 0;
}

}  // namespace

Command import_command() {
  return {
      .name = "import",
      .summary = "Make a machine file from what nvidia-smi printed: -q or -q -x",
      .group = Group::real,
      .details =
          "Outputs of `-L`, `topo -m`, `nvlink -s`, `mig -lgip` and `mig -lgipp` of the same computer may "
          "stand beside it.",
      .examples = {{"nvidia-smi -q | nvmlkit import - -o machine.yaml", "this computer"},
                   {"nvmlkit import report.txt", "what somebody pasted into a bug report"}},
      .declare = [](Arguments& arguments) -> Action {
        const auto options = std::make_shared<ImportOptions>();
        arguments.argument("FILE", Kind::file, options->files, "Files with the output; - is standard input").required();
        arguments.option("-o,--output", Kind::file, options->output, "The machine file to write")
            .default_text("standard output");
        arguments.flag("-v,--verbose", options->verbose, "List the lines that are not in the machine");
        return [options] { return import_files(*options); };
      }};
}

}  // namespace nvmlkit::cli
