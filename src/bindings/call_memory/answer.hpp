// A recorded answer, given to the memory of a call.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bindings/call_memory/memory.hpp"

namespace nvmlkit::nvml::interpose {

// Memory behind a pointer inside the struct of an argument. `offset`: of the pointer.
struct NestedBytes {
  std::uint64_t argument = 0, offset = 0;
  std::string bytes;
};

struct Answer {
  int result = 0;
  std::vector<std::optional<std::string>> out;  // what was written behind each argument
  std::vector<NestedBytes> nested;
};

// Makes a text of the driver that stays where it is.
using LastingText = std::function<const char*(const std::string&)>;

// Writes the answer, never further than the caller has room, and returns its code; NVML_ERROR_INSUFFICIENT_SIZE where
// an array has no room for all its elements.
Word give(const Answer& answer, const Before& before, const LastingText& lasting);

}  // namespace nvmlkit::nvml::interpose
