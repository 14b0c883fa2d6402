// The text of a machine file, from values by path.
#pragma once

#include <string>
#include <vector>

#include "smi_log/values.hpp"

namespace nvmlkit::smi_log {

struct MachineText {
  std::string comment;  // the first line, without the #
  std::string base;     // empty: none
  Values host;
  std::vector<Values> gpus;
};

// What all GPUs share goes under device_defaults.
std::string text_of(const MachineText& machine);

}  // namespace nvmlkit::smi_log
