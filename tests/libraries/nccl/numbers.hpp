// Elements of each type as doubles, and what a reduction of them is.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "libraries/nccl/generated/types.hpp"
#include "ptx/narrow_floats.hpp"

namespace nvmlkit::library_test::numbers {

using namespace nccl;

inline std::size_t size_of(ncclDataType_t type) {
  constexpr std::size_t kSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return kSizes[type];
}
inline bool is_float(ncclDataType_t type) { return type >= ncclFloat16; }

template <class T>
T element(const std::vector<std::byte>& bytes, std::size_t place) {
  T out;
  std::memcpy(&out, bytes.data() + place * sizeof(T), sizeof(T));
  return out;
}

inline double value(ncclDataType_t type, const std::vector<std::byte>& bytes, std::size_t k) {
  switch (type) {
    case ncclInt8:
      return element<std::int8_t>(bytes, k);
    case ncclUint8:
      return element<std::uint8_t>(bytes, k);
    case ncclInt32:
      return element<std::int32_t>(bytes, k);
    case ncclUint32:
      return element<std::uint32_t>(bytes, k);
    case ncclInt64:
      return static_cast<double>(element<std::int64_t>(bytes, k));
    case ncclUint64:
      return static_cast<double>(element<std::uint64_t>(bytes, k));
    case ncclFloat16:
      return ptx::Half::wide(element<ptx::Half>(bytes, k));
    case ncclFloat32:
      return element<float>(bytes, k);
    case ncclFloat64:
      return element<double>(bytes, k);
    case ncclBfloat16:
      return ptx::Bfloat::wide(element<ptx::Bfloat>(bytes, k));
    case ncclFloat8e4m3:
      return ptx::Float8E4M3::wide(element<ptx::Float8E4M3>(bytes, k));
    default:
      return ptx::Float8E5M2::wide(element<ptx::Float8E5M2>(bytes, k));
  }
}

template <class T>
void set_element(std::vector<std::byte>& bytes, std::size_t place, T v) {
  std::memcpy(bytes.data() + place * sizeof(T), &v, sizeof(T));
}

inline void set(ncclDataType_t type, std::vector<std::byte>& bytes, std::size_t k, double v) {
  switch (type) {
    case ncclInt8:
      return set_element(bytes, k, static_cast<std::int8_t>(v));
    case ncclUint8:
      return set_element(bytes, k, static_cast<std::uint8_t>(v));
    case ncclInt32:
      return set_element(bytes, k, static_cast<std::int32_t>(v));
    case ncclUint32:
      return set_element(bytes, k, static_cast<std::uint32_t>(v));
    case ncclInt64:
      return set_element(bytes, k, static_cast<std::int64_t>(v));
    case ncclUint64:
      return set_element(bytes, k, static_cast<std::uint64_t>(v));
    case ncclFloat16:
      return set_element(bytes, k, ptx::Half::of(v));
    case ncclFloat32:
      return set_element(bytes, k, static_cast<float>(v));
    case ncclFloat64:
      return set_element(bytes, k, v);
    case ncclBfloat16:
      return set_element(bytes, k, ptx::Bfloat::of(v));
    case ncclFloat8e4m3:
      return set_element(bytes, k, ptx::Float8E4M3::of(v));
    default:
      return set_element(bytes, k, ptx::Float8E5M2::of(v));
  }
}

// Small enough that no sum or product of eight leaves its type, but for the product of eight twos as ncclUint8.
inline std::vector<std::byte> random(ncclDataType_t type, std::size_t count, std::mt19937& random) {
  std::vector<std::byte> out(count * size_of(type));
  for (std::size_t k = 0; k < count; ++k) {
    const auto drawn = static_cast<double>(random() % 97);
    const double v =
        is_float(type) ? 0.5 + drawn / 97 : std::fmod(drawn, type == ncclInt8 ? 3 : 2) + (type == ncclInt8 ? -1 : 1);
    set(type, out, k, v);
  }
  return out;
}

// Elements `first` and the `count` behind it of all inputs, combined.
inline void expect_reduced(ncclDataType_t type, ncclRedOp_t by, const std::vector<std::vector<std::byte>>& inputs,
                           std::size_t first, std::size_t count, const std::vector<std::byte>& found) {
  constexpr double kErrors[] = {0, 0, 0, 0, 0, 0, 1e-3, 1e-6, 1e-14, 1e-2, 0.07, 0.14};
  // Half of the distance between the smallest numbers of a type, which a product of small ones comes near to.
  constexpr double kSmallest[] = {0, 0, 0, 0, 0, 0, 0x1p-25, 0, 0, 0, 0x1p-10, 0x1p-17};
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < count; ++k) {
    double expected = value(type, inputs[0], first + k);
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      const double v = value(type, inputs[i], first + k);
      expected = by == ncclProd  ? expected * v
                 : by == ncclMax ? std::max(expected, v)
                 : by == ncclMin ? std::min(expected, v)
                                 : expected + v;
    }
    if (by == ncclAvg) expected /= static_cast<double>(inputs.size());
    if (by == ncclAvg && !is_float(type)) expected = std::trunc(expected);
    if (type == ncclUint8) expected = std::fmod(expected, 256);
    const double error = kErrors[type] * std::abs(expected) + kSmallest[type];
    if (std::abs(value(type, found, k) - expected) > error) ++wrong;
  }
  EXPECT_EQ(wrong, 0u) << "of " << count << " elements of type " << type << ", operator " << by << ", " << inputs.size()
                       << " ranks";
}

}  // namespace nvmlkit::library_test::numbers
