// Local memory and parameters of functions lie lane after lane.
#pragma once

#include <cstdint>

namespace nvmlkit::ptx {

// What a lane has there, so that each lane begins where accesses of 16 bytes at once may begin.
constexpr std::uint64_t lane_bytes(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }

}  // namespace nvmlkit::ptx
