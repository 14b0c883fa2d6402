// Reads scenario files.
#pragma once

#include <string>
#include <string_view>

#include "scenario/language.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::scenario {

// `file` is what messages call the file; its last part without .yaml is the name of a scenario that has none. Problems
// have line and column.
sim::Expected<Scenario> read(const std::string& file, std::string_view text);

// The same from a file, of at most 16 MiB.
sim::Expected<Scenario> read_file(const std::string& path);

}  // namespace nvmlkit::scenario
