// Rules about calls as people write them:
//   fail nvmlDeviceGetMemoryInfo GPU_IS_LOST --after 10 --times 3
//   slow nvmlDeviceGetTemperature 500ms
#pragma once

#include <span>
#include <string>

#include "sim/calls/rules.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::sim::calls {

// The GPU is the caller's to add.
Expected<calls::Rule> parse_rule(std::span<const std::string> words);

std::string describe(const Rule& rule);

}  // namespace nvmlkit::sim::calls
