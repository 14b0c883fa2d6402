// From what people paste into a bug report to a machine file.
#pragma once

#include <span>
#include <string>
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
  std::size_t other_lines = 0;  // of the inputs, that belong to none of the outputs that are read
};

// Reads the outputs of nvidia-smi in the inputs: -q, -q -x, topo -m, nvlink -s, mig -lgip, as many of them as there
// are. Throws Refused.
Imported import_outputs(std::span<const Input> inputs);

}  // namespace nvmlkit::smi_log
