// Rules about calls as people write them:
//   fail nvmlDeviceGetMemoryInfo GPU_IS_LOST --after 10 --times 3
//   slow nvmlDeviceGetTemperature 500ms
#pragma once

#include <span>
#include <string>

#include "sim/calls/rules.hpp"

namespace nvmlkit::sim::calls {

// Returns what is wrong, empty when nothing is. The GPU stays as it is in `rule`.
std::string parse_rule(std::span<const std::string> words, Rule& rule);

std::string describe(const Rule& rule);

}  // namespace nvmlkit::sim::calls
