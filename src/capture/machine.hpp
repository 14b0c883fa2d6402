// Makes a machine file from answers.
#pragma once

#include <string>
#include <vector>

#include "capture/compare.hpp"

namespace nvmlkit::capture {

struct Captured {
  std::string yaml;
  std::vector<std::string> notes;  // for people, one line each
  Comparison comparison;           // with what the simulated machine of the file answers
};

// Throws smi_log::Refused for answers that no machine file could give.
Captured machine_file(const Answers& answers);

}  // namespace nvmlkit::capture
