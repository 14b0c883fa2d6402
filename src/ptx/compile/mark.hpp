// What a mark says of the lanes of a register. Rows of 2, 4, 8, 16 or 32 lanes: a lane has `step` more than the one
// before it in its row, and each row begins with `further` more than the one before.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ptx/types.hpp"

namespace nvmlkit::ptx {

class Mark {
 public:
  explicit Mark(std::uint32_t word) : word_(word) {}

  static std::optional<Mark> of(std::uint32_t offset, unsigned size, const std::array<std::int64_t, kLanes>& more) {
    for (unsigned kind = kWhole; kind > 0; --kind)
      if (const auto mark = of_rows(kind, more))
        return Mark(*mark | (size == 8 ? kIsWide : 0) | (offset % 128 != 0 ? kIsBehind : 0));
    return std::nullopt;
  }

  std::uint32_t word() const { return word_; }
  unsigned size() const { return word_ & kIsWide ? 8 : 4; }
  // Where the register begins in its 128 bytes.
  unsigned begin() const { return word_ & kIsBehind ? 64 : 0; }
  std::uint64_t more(unsigned lane) const {
    const auto kind = word_ & kKind;
    const auto signed_word = static_cast<std::int32_t>(word_);
    if (kind == kWhole) return static_cast<std::uint64_t>(std::int64_t{signed_word >> kFirstBit} * lane);
    const std::int64_t step = static_cast<std::int16_t>(word_ & 0xFFFF) >> kFirstBit, further = signed_word >> 16;
    return static_cast<std::uint64_t>(step * (lane & ((1u << kind) - 1)) + further * (lane >> kind));
  }

 private:
  // The lowest bits: the logarithm of the length of a row, and two that say where the register lies. Above them one
  // number, or two.
  static constexpr std::uint32_t kKind = 7, kIsWide = 8, kIsBehind = 16;
  static constexpr unsigned kFirstBit = 5, kWhole = 5;

  static bool fits(std::int64_t number, unsigned bits) {
    return number >= -(std::int64_t{1} << (bits - 1)) && number < std::int64_t{1} << (bits - 1);
  }

  static std::optional<std::uint32_t> of_rows(unsigned kind, const std::array<std::int64_t, kLanes>& more) {
    const auto length = 1u << kind;
    const auto step = more[1], further = kind == kWhole ? 0 : more[length % kLanes];
    const bool is_known = kind == kWhole ? fits(step, 32 - kFirstBit) : fits(step, 16 - kFirstBit) && fits(further, 16);
    if (!is_known) return std::nullopt;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (more[lane] != step * (lane % length) + further * (lane / length)) return std::nullopt;
    const auto first = static_cast<std::uint32_t>(step) << kFirstBit;
    if (kind == kWhole) return first | kind;
    return (first & 0xFFFF) | static_cast<std::uint32_t>(further) << 16 | kind;
  }

  std::uint32_t word_;
};

}  // namespace nvmlkit::ptx
