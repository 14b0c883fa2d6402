// The call log: one line per call with name, arguments, result and time. A line is one write(), so that threads and
// processes may share a file.
#pragma once

#include <cstdint>

#include "nvmlkit/generated/abi.hpp"
#include "sim/generated/symbols.hpp"

namespace nvmlkit::driver {

// Where the lines go: stderr for "1", "stderr" or any other word, a file for what holds a '/'. -1 when it cannot be
// opened.
int open_log(const char* destination);

void log_call(int file, sim::Symbol symbol, const void* const* arguments, abi::nvmlReturn_t result,
              std::uint64_t nanoseconds);

}  // namespace nvmlkit::driver
