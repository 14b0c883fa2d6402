// What a mark says of the lanes of a register. Rows of 2, 4, 8, 16 or 32 lanes: a lane has `step` more than the one
// before it in its row, and each row begins with `further` more than the one before. An index that is kept inside of a
// row has the same number twice at an end of it: those of the neighbours in a block of 16 by 16 threads, for example.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "ptx/types.hpp"

namespace nvmlkit::ptx {

class Mark {
 public:
  explicit Mark(std::uint32_t word) : word_(word) {}

  static std::optional<Mark> of(std::uint32_t offset, unsigned size, const std::array<std::int64_t, kLanes>& more) {
    const auto place = (size == 8 ? kIsWide : 0) | (offset % 128 != 0 ? kIsBehind : 0);
    for (std::uint32_t kind = kWhole; kind > 0; --kind)
      if (const auto mark = of_rows(kind, more)) return Mark(*mark | place);
    for (std::int32_t log = kWhole; log > 1; --log)
      for (const auto ends : {1u, 2u, 3u})
        if (const auto mark = of_kept_rows(log, ends, more)) return Mark(*mark | place);
    return std::nullopt;
  }

  std::uint32_t word() const { return word_; }
  unsigned size() const { return word_ & kIsWide ? 8 : 4; }
  // Where the register begins in its 128 bytes.
  unsigned begin() const { return word_ & kIsBehind ? 64 : 0; }

  // What it says, taken apart. For all lanes, `more` is a few instructions on vectors.
  struct Rows {
    std::int32_t log, start, end, step, further;  // start, end: 1 where the number is there twice

    std::int32_t more(std::int32_t lane) const { return step * place_of(lane) + further * (lane >> log); }
    // So many steps from the start of its row.
    std::int32_t place_of(std::int32_t lane) const {
      const auto last = (1 << log) - 1;
      return std::max(std::min(lane & last, last - end) - start, 0);
    }
  };
  Rows rows() const {
    const auto kind = static_cast<std::int32_t>(word_ & kKind);
    const auto signed_word = static_cast<std::int32_t>(word_);
    if (kind == kWhole) return {kWhole, 0, 0, signed_word >> kFirstBit, 0};
    const std::int32_t low = static_cast<std::int16_t>(word_ & 0xFFFF), further = signed_word >> 16;
    if (kind != kKept) return {kind, 0, 0, low >> kFirstBit, further};
    return {low >> kFirstBit & std::int32_t{kKind}, low >> kEnds & 1, low >> kEnds >> 1 & 1, low >> kStepOfKept,
            further};
  }

 private:
  // The lowest bits: the logarithm of the length of a row, and two that say where the register lies. Above them one
  // number, or two.
  static constexpr std::uint32_t kKind = 7, kIsWide = 8, kIsBehind = 16;
  static constexpr std::int32_t kFirstBit = 5, kWhole = 5;
  // Of rows with a number twice: the logarithm, a bit for the start and one for the end, a step, and what rows begin
  // with more.
  static constexpr std::int32_t kKept = 6, kEnds = 8, kStepOfKept = 10;

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

  static std::optional<std::uint32_t> of_kept_rows(std::int32_t log, std::uint32_t ends,
                                                   const std::array<std::int64_t, kLanes>& more) {
    const auto length = 1u << log;
    const auto start = static_cast<std::int32_t>(ends & 1), end = static_cast<std::int32_t>(ends >> 1);
    const auto step = more[start + 1], further = log == kWhole ? 0 : more[length % kLanes];
    if (!fits(step, 16 - kStepOfKept) || !fits(further, 16)) return std::nullopt;
    const Rows rows{log, start, end, static_cast<std::int32_t>(step), static_cast<std::int32_t>(further)};
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (more[lane] != rows.more(static_cast<std::int32_t>(lane))) return std::nullopt;
    const auto low = (static_cast<std::uint32_t>(step) << kStepOfKept & 0xFFFF) | ends << kEnds;
    return low | static_cast<std::uint32_t>(log) << kFirstBit | static_cast<std::uint32_t>(further) << 16 | kKept;
  }

  std::uint32_t word_;
};

}  // namespace nvmlkit::ptx
