// Where local memory lies. In a kernel that calls nothing, words of the lanes lie side by side: an access of all lanes
// at one address reaches bytes that follow each other. It lies lane after lane (lane_bytes.hpp) where functions are
// called, because the driver's own functions read it so, and in each kernel under the sanitizer.
#pragma once

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

// Of a lane, and of all lanes: those of one address.
inline constexpr std::uint64_t kLocalWord = 8, kLocalRow = kLocalWord * kLanes;

// Where it begins, and with it each row.
inline constexpr std::size_t kLocalAlign = 64;

inline bool has_local_words(const Function& kernel) { return kernel.is_entry && kernel.calls.empty(); }

// Of a byte, counted from the first one of lane 0.
constexpr std::uint64_t place_in_words(std::uint64_t address, std::uint64_t lane) {
  return address / kLocalWord * kLocalRow + lane * kLocalWord + address % kLocalWord;
}

}  // namespace nvmlkit::ptx
