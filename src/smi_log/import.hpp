// Makes a machine file from the text of a bug report.
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
};

// Reads the outputs of nvidia-smi in the inputs: -q, -q -x, topo -m, nvlink -s, mig -lgip, as many of them as there
// are.
Expected<Imported> import_outputs(std::span<const Input> inputs);

}  // namespace nvmlkit::smi_log
