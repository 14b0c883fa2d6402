// The lines of a report, in the form of NVIDIA's compute-sanitizer, without the "=========" that each begins with.
#pragma once

#include <string>
#include <vector>

#include "sanitize/device_names.hpp"
#include "sanitize/finding.hpp"

namespace nvmlkit::sanitize {

// void add<int>(int*): of a name of the linker.
std::string demangled(const std::string& name);

// 1,234,567
std::string with_commas(std::uint64_t number);

// What it is, in one line.
std::string title(const Finding& finding);

struct Style {
  bool shows_host = true;    // frames of the host
  bool strips_paths = true;  // of files: only their names
  bool is_short = true;      // frames of the program up to main(), without those of the runtime
  bool shows_device = true;  // callers on the device
  std::uint32_t host_callers = 0, device_callers = 0;  // that are printed at most; 0: all
  std::uint32_t first_index = 0;                       // of threads and blocks: 1 in Fortran
  Demangling demangling = Demangling::full;            // of functions of the device
};

// All lines, the title first.
std::vector<std::string> lines_of(const Finding& finding, const Style& style);

}  // namespace nvmlkit::sanitize
