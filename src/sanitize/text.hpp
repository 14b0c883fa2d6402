// The lines of a report, in the form of NVIDIA's compute-sanitizer, without the "=========" that each begins with.
#pragma once

#include <string>
#include <vector>

#include "sanitize/finding.hpp"

namespace nvmlkit::sanitize {

// void add<int>(int*): of a name of the linker.
std::string demangled(const std::string& name);

// 1,234,567
std::string with_commas(std::uint64_t number);

// What it is, in one line.
std::string title(const Finding& finding);
// All lines, the title first. Frames of the host as asked.
std::vector<std::string> lines_of(const Finding& finding, bool with_host);

}  // namespace nvmlkit::sanitize
