// Products with a left matrix of which half the elements are zero and are not stored. The places of elements and of the
// bits that tell which are there are those of the PTX manual.
#pragma once

#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "check.hpp"

namespace sparse {

enum class Element { half, tf32, s8, e4m3, s4 };
__host__ __device__ constexpr int bits_of(Element e) {
  return e == Element::tf32 ? 32 : e == Element::half ? 16 : e == Element::s4 ? 4 : 8;
}

inline unsigned coded(Element e, int value) {
  switch (e) {
    case Element::half: {
      const __half h = __float2half(static_cast<float>(value));
      unsigned short bits = 0;
      std::memcpy(&bits, &h, sizeof bits);
      return bits;
    }
    case Element::tf32: {
      const auto f = static_cast<float>(value);
      unsigned bits = 0;
      std::memcpy(&bits, &f, sizeof bits);
      return bits;
    }
    case Element::e4m3:
      return __nv_fp8_e4m3(static_cast<float>(value)).__x;
    default:
      return static_cast<unsigned>(value) & ((1u << bits_of(e)) - 1);
  }
}

// Rows of elements, packed into words.
class Words {
 public:
  Words(Element element, int rows, int depth) : element_(element), row_(depth * bits_of(element) / 32) {
    OK(cudaMallocManaged(&words_, static_cast<std::size_t>(rows * row_) * sizeof(unsigned)));
    std::memset(words_, 0, static_cast<std::size_t>(rows * row_) * sizeof(unsigned));
  }
  void put(int row, int column, int value) {
    const int at = column * bits_of(element_);
    words_[row * row_ + at / 32] |= coded(element_, value) << at % 32;
  }
  const unsigned* words() const { return words_; }

 private:
  Element element_;
  int row_;
  unsigned* words_ = nullptr;
};

// A matrix, what is stored of it, and for each lane the word that tells which elements that is.
class Left {
 public:
  Left(Element element, int rows, int depth, int selector)
      : stored(element, rows, depth / 2), full_(static_cast<std::size_t>(rows * depth)), depth_(depth) {
    OK(cudaMallocManaged(&told, static_cast<std::size_t>(rows) * 2 * sizeof(unsigned)));
    // Of tf32 one of two elements is there, of 4 bits two pairs of four, of others two of four.
    const int each = element == Element::s4 ? 2 : 1, chunk = element == Element::tf32 ? 2 : 4 * each;
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(rows));
    for (int row = 0; row < rows; ++row)
      for (int c = 0; c < depth / chunk; ++c) {
        const int first = (row * 5 + c) % 3, second = first + 1 + (row + c / 2) % (3 - first);
        const bool is_single = element == Element::tf32;
        const int code = !is_single ? first | second << 2 : (row + c) % 2 ? 0b1110 : 0b0100;
        bits[static_cast<std::size_t>(row)] |= static_cast<std::uint64_t>(code) << 4 * c;
        for (int k = 0; k < chunk / 2; ++k) {
          const int value = (row * 3 + c * 2 + k) % 7 - 3;
          stored.put(row, c * chunk / 2 + k, value);
          const int place = is_single ? (row + c) % 2 : (k / each ? second : first) * each + k % each;
          full_[static_cast<std::size_t>(row * depth + c * chunk + place)] = value;
        }
      }
    // Each warp has 16 rows; lane 4 * g + t tells of rows g and g + 8.
    const int bits_of_row = 4 * (depth / chunk);
    for (int lane = 0; lane < 2 * rows; ++lane) {
      const int t = lane % 4, row = lane / 32 * 16 + lane % 32 / 4;
      const auto of = [&](int r, int part) { return static_cast<unsigned>(bits[static_cast<std::size_t>(r)] >> part); };
      if (bits_of_row == 64) {
        told[lane] = of(row + t % 2 * 8, t / 2 * 32);
      } else {
        const bool tells = bits_of_row == 16 ? t == selector : t / 2 == selector;
        const int part = bits_of_row == 16 ? 0 : t % 2 * 16;
        told[lane] = tells ? (of(row, part) & 0xFFFF) | of(row + 8, part) << 16 : 0xBAD0BAD0;
      }
    }
  }
  int at(int row, int column) const { return full_[static_cast<std::size_t>(row * depth_ + column)]; }

  Words stored;
  unsigned* told = nullptr;

 private:
  std::vector<int> full_;
  int depth_;
};

inline int value_of_right(int column, int k) { return (column * 7 + k * 3) % 5 - 2; }
// The transposed right matrix.
inline Words right(Element element, int depth) {
  Words out(element, 8, depth);
  for (int column = 0; column < 8; ++column)
    for (int k = 0; k < depth; ++k) out.put(column, k, value_of_right(column, k));
  return out;
}

// Launched: fills rows x 8 numbers. Integers come as such.
template <class Launch>
void check(Element element, int rows, int depth, int selector, Launch launch) {
  const Left left(element, rows, depth, selector);
  const Words b = right(element, depth);
  unsigned* out = nullptr;
  OK(cudaMallocManaged(&out, static_cast<std::size_t>(rows) * 8 * sizeof(unsigned)));
  launch(left.stored.words(), left.told, b.words(), out);
  OK(cudaDeviceSynchronize());
  const bool is_integer = element == Element::s8 || element == Element::s4;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < 8; ++column) {
      int sum = 0;
      for (int k = 0; k < depth; ++k) sum += left.at(row, k) * value_of_right(column, k);
      float real = 0;
      std::memcpy(&real, &out[row * 8 + column], sizeof real);
      EXPECT(is_integer ? static_cast<int>(out[row * 8 + column]) == sum : real == static_cast<float>(sum));
    }
}

}  // namespace sparse
