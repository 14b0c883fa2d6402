// The text of a file.
#pragma once

#include <string>

#include "sim/problem/problem.hpp"

namespace nvmlkit::sim::config {

// Regular files of at most 16 MiB only: a pipe or a terminal would keep the program that loads us waiting.
Expected<std::string> read_file(const std::string& path);

}  // namespace nvmlkit::sim::config
