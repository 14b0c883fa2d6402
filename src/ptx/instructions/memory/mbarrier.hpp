// The layout of the 8 bytes of a barrier in shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nvmlkit::ptx {

struct Mbarrier {
  std::uint32_t expected = 0;  // arrivals of each phase
  std::int32_t pending = 0;    // that are still to come
  std::int32_t bytes = 0;      // that are on their way
  std::uint32_t phase = 0;     // 0 or 1

  std::uint64_t word() const {
    return std::uint64_t{phase} << 63 | std::uint64_t{expected & 0xFFFFF} << 43 |
           (static_cast<std::uint64_t>(pending) & 0xFFFFF) << 23 | (static_cast<std::uint64_t>(bytes) & 0x3FFFFF);
  }
  static Mbarrier of(std::uint64_t word) {
    const auto bytes = static_cast<std::int32_t>(static_cast<std::uint32_t>(word & 0x3FFFFF) << 10) >> 10;
    return {static_cast<std::uint32_t>(word >> 43 & 0xFFFFF), static_cast<std::int32_t>(word >> 23 & 0xFFFFF), bytes,
            static_cast<std::uint32_t>(word >> 63)};
  }
  static Mbarrier load(const std::byte* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return of(word);
  }
  void write(std::byte* at) const {
    const auto own = word();
    std::memcpy(at, &own, sizeof own);
  }

  // Gives the state before.
  std::uint64_t arrive(std::uint32_t count);
  void complete(std::uint32_t count) {
    bytes -= static_cast<std::int32_t>(count);
    end_phase();
  }

 private:
  void end_phase();
};

}  // namespace nvmlkit::ptx
