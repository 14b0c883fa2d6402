// Makes a machine file from the text of a bug report.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "smi_log/values.hpp"

namespace nvmlkit::smi_log {

struct Input {
  std::string name;  // as messages call it
  std::string text;
};

struct Imported {
  std::string yaml;                // the machine file
  std::vector<std::string> notes;  // what a user should know, one line each
  Leftovers leftovers;
};

// What no output of nvidia-smi is: bytes that no text has, or too many. For the beginning of an input, so that a caller
// need not read the rest.
Expected<void> check_text(const std::string& name, std::string_view beginning);

// Of one input.
inline constexpr std::size_t kMostBytes = std::size_t{64} << 20;

// Reads the outputs of nvidia-smi in the inputs: -q, -q -x, topo -m, nvlink -s, mig -lgip, as many of them as there
// are.
Expected<Imported> import_outputs(std::span<const Input> inputs);

}  // namespace nvmlkit::smi_log
