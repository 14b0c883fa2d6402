// The library that a program would have got without this one.
#pragma once

#include <nvmlkit/table.hpp>
#include <string>

namespace nvmlkit::trace {

struct NextLibrary {
  nvml::Table table;
  std::string path;     // empty: there is none
  std::string problem;  // then why
};

// `path`, or where it is empty the first libnvidia-ml.so.1 of LD_LIBRARY_PATH and of the system's folders that is not
// this library.
NextLibrary open_next_library(const std::string& path);

}  // namespace nvmlkit::trace
