// The words of a line, as a shell splits them: quotes keep what is between them together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/problem/problem.hpp"

namespace nvmlkit::scenario {

sim::Expected<std::vector<std::string>> split_words(std::string_view line);

}  // namespace nvmlkit::scenario
