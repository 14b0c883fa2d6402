// Whether bytes are memory that a thread may use.
#pragma once

#include <cstdint>

#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {

inline constexpr std::uint64_t kWindows = std::uint64_t{0xFF} << 56;

// The space of an address, which becomes relative to the start of the space.
inline Space space_of(Space space, std::uint64_t& address) {
  const auto window = address & kWindows;
  if (space == Space::shared && window == kSharedWindow) address -= window;
  if (space != Space::generic) return space;
  if (window != kSharedWindow && window != kLocalWindow && window != kParamWindow) return Space::global;
  address -= window;
  return window == kSharedWindow ? Space::shared : window == kLocalWindow ? Space::local : Space::kernel_param;
}

// Whether all of so many bytes are there, in one allocation or variable.
bool is_there(Warp& w, const Instruction& i, Space space, std::uint64_t address, std::uint64_t size);

}  // namespace nvmlkit::ptx
