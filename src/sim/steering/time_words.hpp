// Times as people write them: 500ms, 10s, 5m, 2h, 1h30m.
#pragma once

#include <string_view>

#include "sim/problem/problem.hpp"

namespace nvmlkit::sim::steering {

// More than zero, at most three years.
Expected<double> read_seconds(std::string_view text);

// Zero, too.
Expected<double> read_seconds_or_zero(std::string_view text);

}  // namespace nvmlkit::sim::steering
