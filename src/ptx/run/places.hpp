// The bytes of each lane in an access to memory.
#pragma once

#include <algorithm>
#include <cstring>

#include "ptx/local_words.hpp"
#include "ptx/run/lanes.hpp"

namespace nvmlkit::ptx {

// The effective addresses of an instruction.
inline void effective_addresses(const Warp& w, const Instruction& i, std::uint64_t* out) {
  const auto offset = i.immediate + (i.local_base ? w.local_start() : 0);
  if (!i.a.is_there()) {
    std::fill_n(out, kLanes, offset);
  } else if (i.wide_address) {
    const auto* const base = w.at<std::uint64_t>(i.a);
    for (unsigned lane = 0; lane < kLanes; ++lane) out[lane] = base[lane] + offset;
  } else {
    const auto* const base = w.at<std::uint32_t>(i.a);
    for (unsigned lane = 0; lane < kLanes; ++lane) out[lane] = static_cast<std::uint32_t>(base[lane] + offset);
  }
}

// In global memory, of a copy of a few bytes for each lane.
inline void sources_of_copies(const Warp& w, const Instruction& i, std::uint64_t* out) {
  const auto* const base = w.at<std::uint64_t>(w.frame().function->operands[i.side + 1]);
  const auto offset = static_cast<std::uint64_t>(static_cast<std::int32_t>(i.immediate >> 32));
  for (unsigned lane = 0; lane < kLanes; ++lane) out[lane] = base[lane] + offset;
}

inline Bounds bounds_of(const std::uint64_t* addresses, Mask lanes) {
  Bounds out;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const bool is_active = lanes >> lane & 1;
    out.low = std::min(out.low, is_active ? addresses[lane] : ~std::uint64_t{0});
    out.high = std::max(out.high, is_active ? addresses[lane] : 0);
    out.bits |= is_active ? addresses[lane] : 0;
  }
  return out;
}

// Bytes of a lane in words of its local memory: f gets a copy, which goes back. False: `word_at` does not find one of
// the words, and nothing happened. The longest access is of 32 bytes.
template <class At, class F>
inline bool with_words(std::size_t size, At word_at, F f) {
  std::byte bytes[32] = {};
  std::byte* words[sizeof bytes / kLocalWord];
  const auto count = size / kLocalWord;
  for (std::size_t k = 0; k < count; ++k)
    if (!(words[k] = word_at(k))) return false;
  for (std::size_t k = 0; k < count; ++k) std::memcpy(bytes + k * kLocalWord, words[k], kLocalWord);
  f(bytes);
  for (std::size_t k = 0; k < count; ++k) std::memcpy(words[k], bytes + k * kLocalWord, kLocalWord);
  return true;
}

// As each_place(), of local memory in words.
template <class F>
inline void each_in_words(const Reach& reach, const std::uint64_t* addresses, Mask lanes, std::size_t size, F f) {
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(left));
    auto* const first = reinterpret_cast<std::byte*>(reach.base + place_in_words(addresses[l] - reach.window, l));
    if (size <= kLocalWord)
      f(l, first);
    else
      with_words(
          size, [=](std::size_t k) { return first + k * kLocalRow; }, [&](std::byte* p) { f(l, p); });
  }
}

// Calls f(lane, bytes) for each lane; at the first fault it ends. `size` is a power of two.
template <class F>
inline void each_place(Warp& w, const Instruction& i, Mask lanes, std::size_t size, F f) {
  std::uint64_t addresses[kLanes];
  effective_addresses(w, i, addresses);
  Reach reach;
  if (w.reach(i, bounds_of(addresses, lanes), size, reach)) {
    if (reach.is_in_words) return each_in_words(reach, addresses, lanes, size, f);
    const auto at = [&](unsigned l) {
      return reinterpret_cast<std::byte*>(reach.base + addresses[l] + l * reach.stride);
    };
    if (lanes == kAllLanes) {
      for (unsigned l = 0; l < kLanes; ++l) f(l, at(l));
    } else {
      for (Mask left = lanes; left != 0; left &= left - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(left));
        f(l, at(l));
      }
    }
    return;
  }
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(left));
    const bool is_long = size > kLocalWord && size > w.bytes_in_row(i.space, addresses[l]);
    if (is_long && addresses[l] % size == 0) {
      const auto word_at = [&](std::size_t k) {
        return w.resolve(i.space, i, addresses[l] + k * kLocalWord, kLocalWord, l);
      };
      if (!with_words(size, word_at, [&](std::byte* p) { f(l, p); })) return;
      continue;
    }
    auto* const p = w.resolve(i.space, i, addresses[l], size, l);
    if (!p) return;
    f(l, p);
  }
}

enum class Pattern : std::uint8_t { scattered, same, row };

// The usual accesses of all lanes: to one place, or to a row of places one behind the other, whose bytes begin at
// `start`.
inline Pattern pattern_of(Warp& w, const Instruction& i, std::size_t size, std::byte*& start) {
  if (!i.a.is_there()) {
    if (i.local_base) return Pattern::scattered;
    start = w.reach_shared_by_lanes(i, i.immediate, size, size);
    return start ? Pattern::same : Pattern::scattered;
  }
  std::uint64_t first = i.immediate + (i.local_base ? w.local_start() : 0), off_row = 0, off_first = 0;
  const auto compare = [&](const auto* base) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      off_row |= base[lane] ^ static_cast<std::decay_t<decltype(*base)>>(base[0] + lane * size);
      off_first |= base[lane] ^ base[0];
    }
    first += base[0];
  };
  if (i.wide_address) {
    compare(w.at<std::uint64_t>(i.a));
  } else {
    compare(w.at<std::uint32_t>(i.a));
    first = static_cast<std::uint32_t>(first);
  }
  const bool is_same = off_first == 0;
  if (!is_same && off_row != 0) return Pattern::scattered;
  start = w.reach_shared_by_lanes(i, first, is_same ? size : kLanes * size, size);
  return !start ? Pattern::scattered : is_same ? Pattern::same : Pattern::row;
}

// Lanes 0 to 15 and 16 to 31: threads of blocks that are 16 wide. The bytes of each half that there is, as above.
inline constexpr unsigned kHalf = kLanes / 2;
struct LaneHalf {
  Pattern pattern = Pattern::scattered;
  std::byte* start = nullptr;  // null: it has no lanes
};

// False: it is not as simple as that.
inline bool halves_of(Warp& w, const Instruction& i, Mask lanes, std::size_t size, LaneHalf (&out)[2]) {
  if (!i.a.is_there()) return false;
  const auto offset = i.immediate + (i.local_base ? w.local_start() : 0);
  const auto find = [&](const auto* base, LaneHalf& half) {
    using Address = std::decay_t<decltype(*base)>;
    Address off_row = 0, off_first = 0;
    for (unsigned lane = 0; lane < kHalf; ++lane) {
      off_row |= base[lane] ^ static_cast<Address>(base[0] + lane * size);
      off_first |= base[lane] ^ base[0];
    }
    if (off_row != 0 && off_first != 0) return false;
    half.pattern = off_first == 0 ? Pattern::same : Pattern::row;
    const auto bytes = off_first == 0 ? size : kHalf * size;
    half.start = w.reach_shared_by_lanes(i, static_cast<Address>(base[0] + offset), bytes, size);
    return half.start != nullptr;
  };
  for (unsigned k = 0; k < 2; ++k) {
    const Mask own = lanes >> k * kHalf & 0xFFFF;
    if (own == 0) continue;
    if (own != 0xFFFF) return false;
    const bool is_found = i.wide_address ? find(w.at<std::uint64_t>(i.a) + k * kHalf, out[k])
                                         : find(w.at<std::uint32_t>(i.a) + k * kHalf, out[k]);
    if (!is_found) return false;
  }
  return true;
}

}  // namespace nvmlkit::ptx
