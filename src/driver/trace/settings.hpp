// What the environment asks of the library; `nvmlkit trace` sets these variables.
#pragma once

#include <cstdint>
#include <string>

namespace nvmlkit::trace {

struct Settings {
  std::string folder;   // NVMLKIT_TRACE_RECORD: calls are written into files of this folder
  std::string replay;   // NVMLKIT_TRACE_REPLAY: a recording that answers
  std::string library;  // NVMLKIT_TRACE_LIBRARY: is called when calls are recorded; empty: the next that programs find
  std::string report;   // NVMLKIT_TRACE_REPORT: calls that the recording lacks are appended to this file
  std::string clock;    // NVMLKIT_TRACE_CLOCK: what a preloaded library adds to the time, see clock.hpp
  std::uint64_t limit;  // NVMLKIT_TRACE_LIMIT: bytes of a file
  bool by_time;         // NVMLKIT_TRACE_BY_TIME=1

  static Settings of_environment();
};

}  // namespace nvmlkit::trace
