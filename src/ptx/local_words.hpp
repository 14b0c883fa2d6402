// Where local memory lies. In a kernel that calls nothing, words of the lanes lie side by side: an access of all lanes
// at one address reaches bytes that follow each other. Where functions are called it lies lane after lane
// (lane_bytes.hpp), as the driver's own functions and the sanitizer read it.
#pragma once

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

// Of a lane, and of all lanes: those of one address.
inline constexpr std::uint64_t kLocalWord = 8, kLocalRow = kLocalWord * kLanes;

inline bool has_local_words(const Function& kernel) { return kernel.is_entry && kernel.calls.empty(); }

// Of a byte, counted from the first one of lane 0.
constexpr std::uint64_t place_in_words(std::uint64_t address, std::uint64_t lane) {
  return address / kLocalWord * kLocalRow + lane * kLocalWord + address % kLocalWord;
}

}  // namespace nvmlkit::ptx
