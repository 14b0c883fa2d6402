// The faults of a network adapter: words, effect, end.
#pragma once

#include <string>
#include <vector>

#include "sim/faults/kinds.hpp"
#include "sim/generated/model.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::sim::faults {

// down, or errors [COUNTER] [--count N]. Works on a copy.
Expected<void> inject_into_nic(nics::State& nic, Words words);

// Ends the fault of this name, or all of them: the port has a link again. Counters keep what they counted.
Expected<void> heal_nic(nics::State& nic, Words kind);

// In the words of inject_into_nic(). Errors are over once they are counted.
std::vector<std::string> faults_of(const nics::State& nic);

}  // namespace nvmlkit::sim::faults
