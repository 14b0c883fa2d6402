#include "cli/import.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "smi_log/import.hpp"

namespace nvmlkit::cli {
namespace {

constexpr int kUsage = 2;

smi_log::Input read_input(const std::string& file) {
  if (file == "-") return {"standard input", {std::istreambuf_iterator<char>(std::cin), {}}};
  std::ifstream stream(file, std::ios::binary);
  smi_log::Input input{file, {std::istreambuf_iterator<char>(stream), {}}};
  if (!stream) throw smi_log::Refused({file, 0}, "cannot be read");
  return input;
}

void report(const smi_log::Imported& imported, bool verbose) {
  for (const auto& note : imported.notes) fmt::print(stderr, "nvmlkit: {}\n", note);
  const auto& [not_kept, unknown] = imported.leftovers;
  if (verbose) {
    for (const auto& line : not_kept) fmt::print(stderr, "not kept: {}\n", line);
    for (const auto& line : unknown) fmt::print(stderr, "unknown: {}\n", line);
  }
  if (not_kept.empty() && unknown.empty() && imported.other_lines == 0) return;
  fmt::print(stderr,
             "nvmlkit: {} values that a machine file does not hold, {} unknown lines{}, {} lines of other outputs\n",
             not_kept.size(), unknown.size(),
             !verbose && !(not_kept.empty() && unknown.empty()) ? " (--verbose lists them)" : "", imported.other_lines);
}

}  // namespace

int import_files(const std::vector<std::string>& files, const std::string& output, bool verbose) {
  try {
    std::vector<smi_log::Input> inputs;
    for (const auto& file : files) inputs.push_back(read_input(file));
    const auto imported = smi_log::import_outputs(inputs);
    if (output.empty()) {
      fmt::print("{}", imported.yaml);
    } else {
      std::ofstream stream(output, std::ios::binary);
      stream << imported.yaml;
      if (!stream.flush()) throw smi_log::Refused({output, 0}, "cannot be written");
    }
    report(imported, verbose);
    return 0;
  } catch (const smi_log::Refused& refused) {
    fmt::print(stderr, "nvmlkit: {}\n", refused.what());
    return kUsage;
  }
}

}  // namespace nvmlkit::cli
