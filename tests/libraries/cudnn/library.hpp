// libcudnn, as a program loads it; tensors with random elements.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>

#include "generated/cudnn_table.hpp"
#include "gpu.hpp"
#include "ptx/narrow_floats.hpp"

namespace nvmlkit::library_test {

using namespace cudnn;
using Sizes = std::vector<std::int64_t>;

inline Cudnn& library() {
  static Cudnn the("libcudnn.so.9");
  return the;
}

inline Handle* handle() {
  static Handle* const the = [] {
    gpu();
    Handle* made = nullptr;
    EXPECT_EQ(library().cudnnCreate(&made), CUDNN_STATUS_SUCCESS);
    return made;
  }();
  return the;
}

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  int range(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  double number() { return std::uniform_real_distribution<double>(-1, 1)(engine_); }
  std::vector<double> numbers(std::int64_t count) {
    std::vector<double> out(static_cast<std::size_t>(count));
    for (auto& v : out) v = number();
    return out;
  }

 private:
  std::mt19937 engine_;
};

inline std::int64_t count_of(const Sizes& sizes) {
  std::int64_t out = 1;
  for (const auto size : sizes) out *= size;
  return out;
}

// Strides of elements in a random order of the dimensions, with gaps.
inline Sizes random_strides(const Sizes& sizes, Dice& dice, bool gaps = true) {
  std::vector<std::size_t> order(sizes.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  for (std::size_t k = order.size(); k > 1; --k)
    std::swap(order[k - 1], order[static_cast<std::size_t>(dice.range(0, static_cast<int>(k) - 1))]);
  Sizes out(sizes.size());
  std::int64_t stride = 1;
  for (const auto k : order) out[k] = stride, stride *= sizes[k] + (gaps ? dice.range(0, 1) : 0);
  return out;
}
inline Sizes dense(const Sizes& sizes) {
  Sizes out(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t k = sizes.size(); k-- > 0; stride *= sizes[k]) out[k] = stride;
  return out;
}

// A tensor in memory of the device; its elements are read and written as double, in the order of the sizes.
class OnGpu {
 public:
  OnGpu(cudnnDataType_t type, Sizes sizes, Sizes strides, const std::vector<double>& elements)
      : type_(type), sizes_(std::move(sizes)), strides_(std::move(strides)), memory_(bytes_of(elements)) {}

  cudnnDataType_t type() const { return type_; }
  const Sizes& sizes() const { return sizes_; }
  const Sizes& strides() const { return strides_; }
  void* address() const { return memory_.as<void>(); }
  std::vector<double> read() const {
    const auto bytes = memory_.read();
    std::vector<double> out;
    each([&](std::size_t at) { out.push_back(load(bytes.data() + at * size())); });
    return out;
  }
  // Elements as they are after they were stored.
  std::vector<double> rounded(const std::vector<double>& elements) const {
    std::vector<double> out;
    for (const double v : elements) {
      unsigned char bytes[8];
      store(v, bytes);
      out.push_back(load(bytes));
    }
    return out;
  }
  double tolerance(double of = 1) const {
    if (type_ == CUDNN_DATA_DOUBLE) return 1e-12 * of;
    if (type_ == CUDNN_DATA_HALF) return 2e-3 * of;
    return (type_ == CUDNN_DATA_BFLOAT16 ? 1.6e-2 : 1e-5) * of;
  }

 private:
  std::size_t size() const { return type_ == CUDNN_DATA_DOUBLE ? 8 : type_ == CUDNN_DATA_FLOAT ? 4 : 2; }
  template <class Work>
  void each(Work work) const {
    for (std::int64_t k = 0, n = count_of(sizes_); k < n; ++k) {
      std::int64_t at = 0, left = k;
      for (std::size_t d = sizes_.size(); d-- > 0; left /= sizes_[d]) at += left % sizes_[d] * strides_[d];
      work(static_cast<std::size_t>(at));
    }
  }
  void store(double v, unsigned char* to) const {
    const float narrow = static_cast<float>(v);
    if (type_ == CUDNN_DATA_DOUBLE) std::memcpy(to, &v, 8);
    if (type_ == CUDNN_DATA_FLOAT) std::memcpy(to, &narrow, 4);
    const auto half = ptx::Half::of(v).bits, brain = ptx::Bfloat::of(v).bits;
    if (type_ == CUDNN_DATA_HALF) std::memcpy(to, &half, 2);
    if (type_ == CUDNN_DATA_BFLOAT16) std::memcpy(to, &brain, 2);
  }
  double load(const unsigned char* from) const {
    double wide = 0;
    float narrow = 0;
    std::uint16_t bits = 0;
    std::memcpy(&bits, from, 2);
    if (type_ == CUDNN_DATA_HALF) return ptx::Half::wide({bits});
    if (type_ == CUDNN_DATA_BFLOAT16) return ptx::Bfloat::wide({bits});
    std::memcpy(&narrow, from, 4);
    if (type_ == CUDNN_DATA_FLOAT) return narrow;
    std::memcpy(&wide, from, 8);
    return wide;
  }
  std::vector<unsigned char> bytes_of(const std::vector<double>& elements) const {
    std::size_t last = 0, k = 0;
    each([&](std::size_t at) { last = std::max(last, at); });
    std::vector<unsigned char> out((last + 1) * size(), 0x5a);
    each([&](std::size_t at) { store(elements[k++], out.data() + at * size()); });
    return out;
  }

  cudnnDataType_t type_;
  Sizes sizes_, strides_;
  OnDevice<unsigned char> memory_;
};

// As TF32 has it: 10 bits behind the point, to nearest.
inline double in_tf32(double v) {
  const float narrow = static_cast<float>(v);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &narrow, sizeof bits);
  bits += 0xFFF + (bits >> 13 & 1);
  bits &= ~0x1FFFu;
  float out = 0;
  std::memcpy(&out, &bits, sizeof out);
  return out;
}
inline std::vector<double> in_tf32(std::vector<double> numbers) {
  for (auto& v : numbers) v = in_tf32(v);
  return numbers;
}

inline void expect_near(const std::vector<double>& got, const std::vector<double>& wanted, double tolerance,
                        const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (std::size_t k = 0; k < got.size(); ++k)
    ASSERT_NEAR(got[k], wanted[k], tolerance * (1 + std::abs(wanted[k]))) << what << " at " << k;
}

inline cudnnDataType_t random_type(Dice& dice) {
  constexpr cudnnDataType_t kTypes[] = {CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE, CUDNN_DATA_HALF, CUDNN_DATA_BFLOAT16};
  return kTypes[dice.range(0, 3)];
}

}  // namespace nvmlkit::library_test
