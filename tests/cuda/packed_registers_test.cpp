// Marks of registers, of which compiled code leaves the value of lane 0 alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "ptx/compile/mark.hpp"
#include "ptx/compile/packed.hpp"

namespace nvmlkit::ptx {
namespace {

using More = std::array<std::int64_t, kLanes>;

More rows(unsigned length, std::int64_t step, std::int64_t further) {
  More out{};
  for (unsigned lane = 0; lane < kLanes; ++lane) out[lane] = step * (lane % length) + further * (lane / length);
  return out;
}

// The lanes of a register at the start of a frame that has been unpacked.
template <class T>
std::array<T, kLanes> unpacked(std::uint32_t offset, T first, const More& more) {
  constexpr std::uint32_t kBytes = 4096;
  std::vector<std::byte> frame(Marks::end(kBytes));
  std::memcpy(frame.data() + Marks::firsts(kBytes) + Marks::number(offset) * Marks::kSizeOfFirst, &first, sizeof first);
  const auto mark = Mark::of(offset, sizeof(T), more);
  EXPECT_TRUE(mark);
  const std::uint32_t word = mark ? mark->word() : 0, one = 1;
  std::memcpy(frame.data() + Marks::start(kBytes) + Marks::number(offset) * Marks::kSize, &word, sizeof word);
  std::memcpy(frame.data() + Marks::flag(kBytes), &one, sizeof one);
  unpack(frame.data(), kBytes);
  for (std::size_t at = Marks::flag(kBytes); at < Marks::firsts(kBytes); ++at) EXPECT_EQ(frame[at], std::byte{0});
  std::array<T, kLanes> out;
  std::memcpy(out.data(), frame.data() + offset, sizeof out);
  return out;
}

template <class T>
void expect_same(std::uint32_t offset, T first, const More& more) {
  const auto out = unpacked<T>(offset, first, more);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    EXPECT_EQ(out[lane], static_cast<T>(first + static_cast<T>(more[lane]))) << lane;
}

TEST(PtxPackedRegisters, RowsOfAnyLength) {
  for (const unsigned length : {2u, 4u, 8u, 16u, 32u})
    for (const std::int64_t step : {0, 1, -1, 4, 1023, -1024})
      for (const std::int64_t further : {0, 1, -32768, 32767}) {
        expect_same<std::uint32_t>(128, 7, rows(length, step, further));
        expect_same<std::uint64_t>(320, 0xFFFFFFFFFFFFFFF0, rows(length, step, further));
      }
  expect_same<std::uint64_t>(64, 5, rows(32, (1 << 26) - 1, 0));
  expect_same<std::uint32_t>(64, 5, rows(32, -(1 << 26), 0));
}

// An index that is kept inside of its row: from the second lane on, up to the one before the last, or both.
More kept_rows(unsigned length, std::int64_t step, std::int64_t further, bool at_start, bool at_end) {
  More out{};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::int64_t place = lane % length, least = at_start ? 1 : 0, most = length - (at_end ? 2 : 1);
    out[lane] = step * (std::clamp(place, least, most) - least) + further * (lane / length);
  }
  return out;
}

TEST(PtxPackedRegisters, RowsWithANumberTwiceAtAnEnd) {
  for (const unsigned length : {4u, 8u, 16u, 32u})
    for (const std::int64_t step : {1, -1, 4, 8, 31, -32})
      for (const std::int64_t further : {0, 64, -32768, 32767})
        for (const int ends : {1, 2, 3}) {
          expect_same<std::uint32_t>(192, 3, kept_rows(length, step, further, ends & 1, ends & 2));
          expect_same<std::uint64_t>(384, 0xFFFFFFFFFFFFFFF0, kept_rows(length, step, further, ends & 1, ends & 2));
        }
}

TEST(PtxPackedRegisters, WhatNoMarkSays) {
  EXPECT_FALSE(Mark::of(0, 4, kept_rows(16, 32, 64, true, false)));
  EXPECT_FALSE(Mark::of(0, 4, kept_rows(16, 4, 32768, false, true)));
  EXPECT_FALSE(Mark::of(0, 4, rows(32, 1 << 26, 0)));
  EXPECT_FALSE(Mark::of(0, 4, rows(16, 1024, 1)));
  EXPECT_FALSE(Mark::of(0, 4, rows(16, 0, 32768)));
  EXPECT_FALSE(Mark::of(0, 4, rows(10, 1, 100)));
  auto odd = rows(32, 0, 0);
  odd[31] = 1;
  EXPECT_FALSE(Mark::of(0, 4, odd));
}

// So that one comparison is enough.
TEST(PtxPackedRegisters, EqualLanesHaveOneMark) {
  const auto row = Mark::of(0, 4, rows(32, 4, 0));
  const auto parts = Mark::of(0, 4, rows(8, 4, 32));
  ASSERT_TRUE(row && parts);
  EXPECT_EQ(row->word(), parts->word());
  EXPECT_NE(Mark::of(0, 8, rows(32, 4, 0))->word(), row->word());
  EXPECT_NE(Mark::of(0, 4, rows(32, 0, 0))->word(), 0u);
  EXPECT_NE(Mark::of(0, 4, kept_rows(16, 4, 64, true, false))->word(),
            Mark::of(0, 4, kept_rows(16, 4, 64, false, true))->word());
}

}  // namespace
}  // namespace nvmlkit::ptx
