#include "cli/import.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "cli/exit_status.hpp"
#include "smi_log/import.hpp"

namespace nvmlkit::cli {
namespace {

smi_log::Input read_input(const std::string& file) {
  if (file == "-") return {"standard input", {std::istreambuf_iterator<char>(std::cin), {}}};
  std::ifstream stream(file, std::ios::binary);
  smi_log::Input input{file, {std::istreambuf_iterator<char>(stream), {}}};
  if (!stream) throw smi_log::Refused({file, 0}, "cannot be read");
  return input;
}

void report(const smi_log::Imported& imported, bool verbose) {
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
    return kBadInput;
  }
}

}  // namespace nvmlkit::cli
