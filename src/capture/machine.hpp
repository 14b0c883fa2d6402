// Makes a machine file from answers.
#pragma once

#include <string>
#include <vector>

#include "capture/compare.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::capture {

struct Captured {
  std::string yaml;
  std::vector<std::string> notes;  // for people, one line each
  Comparison comparison;           // with what the simulated machine of the file answers
};

// A problem: answers that no machine file could give.
sim::Expected<Captured> machine_file(const Answers& answers);

}  // namespace nvmlkit::capture
