#include "libraries/nccl/reduce.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "ptx/narrow_floats.hpp"

namespace nvmlkit::nccl {
namespace {

// How elements of a type are computed with: `Wide`, and the ways there and back.
template <class T>
struct Arithmetic {
  using Wide = T;
  static Wide wide(T v) { return v; }
  static T narrow(Wide v) { return v; }
};
template <class T>
struct NarrowArithmetic {
  using Wide = float;
  static Wide wide(T v) { return T::wide(v); }
  static T narrow(Wide v) { return T::of(v); }
};
template <>
struct Arithmetic<ptx::Half> : NarrowArithmetic<ptx::Half> {};
template <>
struct Arithmetic<ptx::Bfloat> : NarrowArithmetic<ptx::Bfloat> {};
template <>
struct Arithmetic<ptx::Float8E4M3> : NarrowArithmetic<ptx::Float8E4M3> {};
template <>
struct Arithmetic<ptx::Float8E5M2> : NarrowArithmetic<ptx::Float8E5M2> {};

// Integers wrap around.
template <class W>
W plus(W a, W b) {
  if constexpr (std::is_integral_v<W>)
    return static_cast<W>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}
template <class W>
W times(W a, W b) {
  if constexpr (std::is_integral_v<W>)
    return static_cast<W>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}
// A number counts before no number.
template <class W>
W larger(W a, W b) {
  return a < b || a != a ? b : a;
}
template <class W>
W smaller(W a, W b) {
  return b < a || a != a ? b : a;
}

constexpr std::size_t kBlock = 1024;

template <class T, class Combine>
void add_block(typename Arithmetic<T>::Wide* sum, const std::byte* from, std::size_t count, Combine combine) {
  const auto* const in = reinterpret_cast<const T*>(from);
  for (std::size_t k = 0; k < count; ++k) sum[k] = combine(sum[k], Arithmetic<T>::wide(in[k]));
}

template <class T>
void add_one(ncclRedOp_t kind, typename Arithmetic<T>::Wide* sum, const std::byte* from, std::size_t count) {
  using Wide = typename Arithmetic<T>::Wide;
  switch (kind) {
    case ncclProd:
      return add_block<T>(sum, from, count, times<Wide>);
    case ncclMax:
      return add_block<T>(sum, from, count, larger<Wide>);
    case ncclMin:
      return add_block<T>(sum, from, count, smaller<Wide>);
    default:
      return add_block<T>(sum, from, count, plus<Wide>);
  }
}

template <class T>
void combine_as(ncclRedOp_t kind, const std::vector<const std::byte*>& sources, std::size_t count, std::byte* to) {
  using Wide = typename Arithmetic<T>::Wide;
  Wide sum[kBlock];
  const auto ranks = static_cast<Wide>(sources.size());
  for (std::size_t at = 0; at < count; at += kBlock) {
    const auto part = std::min(kBlock, count - at);
    const auto* const first = reinterpret_cast<const T*>(sources[0]) + at;
    for (std::size_t k = 0; k < part; ++k) sum[k] = Arithmetic<T>::wide(first[k]);
    for (std::size_t i = 1; i < sources.size(); ++i) add_one<T>(kind, sum, sources[i] + at * sizeof(T), part);
    auto* const out = reinterpret_cast<T*>(to) + at;
    if (kind == ncclAvg)
      for (std::size_t k = 0; k < part; ++k) sum[k] = static_cast<Wide>(sum[k] / ranks);
    for (std::size_t k = 0; k < part; ++k) out[k] = Arithmetic<T>::narrow(sum[k]);
  }
}

template <class T>
void multiply_as(std::uint64_t scalar, const std::byte* from, std::size_t count, std::byte* to) {
  T factor;
  std::memcpy(&factor, &scalar, sizeof factor);
  const auto by = Arithmetic<T>::wide(factor);
  const auto* const in = reinterpret_cast<const T*>(from);
  auto* const out = reinterpret_cast<T*>(to);
  for (std::size_t k = 0; k < count; ++k) out[k] = Arithmetic<T>::narrow(times(Arithmetic<T>::wide(in[k]), by));
}

// call(T{}) with the type of C++.
template <class Call>
void with_type(ncclDataType_t type, Call call) {
  switch (type) {
    case ncclInt8:
      return call(std::int8_t{});
    case ncclUint8:
      return call(std::uint8_t{});
    case ncclInt32:
      return call(std::int32_t{});
    case ncclUint32:
      return call(std::uint32_t{});
    case ncclInt64:
      return call(std::int64_t{});
    case ncclUint64:
      return call(std::uint64_t{});
    case ncclFloat16:
      return call(ptx::Half{});
    case ncclFloat32:
      return call(float{});
    case ncclFloat64:
      return call(double{});
    case ncclBfloat16:
      return call(ptx::Bfloat{});
    case ncclFloat8e4m3:
      return call(ptx::Float8E4M3{});
    case ncclFloat8e5m2:
      return call(ptx::Float8E5M2{});
    case ncclNumTypes:
      return;
  }
}

}  // namespace

void combine(ncclDataType_t type, ncclRedOp_t kind, const std::vector<const std::byte*>& sources, std::size_t count,
             std::byte* to) {
  with_type(type, [&](auto t) { combine_as<decltype(t)>(kind, sources, count, to); });
}

void multiply(ncclDataType_t type, std::uint64_t scalar, const std::byte* from, std::size_t count, std::byte* to) {
  with_type(type, [&](auto t) { multiply_as<decltype(t)>(scalar, from, count, to); });
}

}  // namespace nvmlkit::nccl
