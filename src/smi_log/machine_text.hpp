// A machine file from values with their places.
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

// See sim/text/machine_text.hpp.
std::string text_of(const MachineText& machine);

}  // namespace nvmlkit::smi_log
