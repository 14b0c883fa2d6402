// One row for each kernel: its time, that of the same in plain C, and whether both computed the same.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "spent.hpp"

#define CHECK(call)                                                       \
  do {                                                                    \
    const cudaError_t error = (call);                                     \
    if (error != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

// The processor time of one call. The first call is not counted: it compiles and fills caches.
inline double seconds(const std::function<void()>& work) {
  work();
  double passed = 0;
  int times = 0;
  const double start = spent();
  do {
    work();
    ++times;
    passed = spent() - start;
  } while (passed < 0.5);
  return passed / times;
}

// An array on the host and one on the device, equal at first. A seed of 0 leaves zeros in some places.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count, unsigned seed = 0) : host_(count) {
    for (std::size_t i = 0; i < count; ++i)
      host_[i] = static_cast<T>((i * 2654435761u + seed) >> 16 & 0xFF) + T(seed > 0);
    CHECK(cudaMalloc(&device_, count * sizeof(T)));
    upload();
  }
  ~Array() { cudaFree(device_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* host() { return host_.data(); }
  T* device() { return device_; }
  std::size_t size() const { return host_.size(); }
  void upload() { CHECK(cudaMemcpy(device_, host_.data(), bytes(), cudaMemcpyHostToDevice)); }
  void clear() {
    std::memset(host_.data(), 0, bytes());
    CHECK(cudaMemset(device_, 0, bytes()));
  }
  // Largest difference between both, as a part of the largest value.
  double difference() {
    std::vector<T> got(host_.size());
    CHECK(cudaMemcpy(got.data(), device_, bytes(), cudaMemcpyDeviceToHost));
    double most = 0, largest = 1e-30;
    for (std::size_t i = 0; i < got.size(); ++i) {
      most = std::fmax(most, std::fabs(static_cast<double>(got[i]) - static_cast<double>(host_[i])));
      largest = std::fmax(largest, std::fabs(static_cast<double>(host_[i])));
    }
    return most / largest;
  }

 private:
  std::size_t bytes() const { return host_.size() * sizeof(T); }

  std::vector<T> host_;
  T* device_ = nullptr;
};

class Table {
 public:
  explicit Table(std::vector<std::string> wanted) : wanted_(std::move(wanted)) {}

  // `kernel` launches, `in_c` computes the same on the host; `difference` compares, after each ran once.
  template <class Kernel, class InC, class Difference>
  void row(const std::string& name, Kernel kernel, InC in_c, Difference difference) {
    if (!wants(name)) return;
    in_c();
    kernel();
    CHECK(cudaDeviceSynchronize());
    const double off = difference();
    const double slow = seconds([&] {
      kernel();
      CHECK(cudaDeviceSynchronize());
    }),
                 fast = seconds(in_c);
    std::printf("%-32s %10.2f ms %10.2f ms in C %8.1f times %s\n", name.c_str(), 1e3 * slow, 1e3 * fast, slow / fast,
                off < 1e-4 ? "" : "WRONG");
    std::fflush(stdout);
    right_ &= off < 1e-4;
    logarithms_ += std::log(slow / fast);
    ++rows_;
  }
  void mean() const {
    if (rows_ > 0) std::printf("%-32s %45.1f times\n", "geometric mean", std::exp(logarithms_ / rows_));
  }
  bool right() const { return right_; }

 private:
  bool wants(const std::string& name) const {
    for (const auto& part : wanted_)
      if (name.find(part) != std::string::npos) return true;
    return wanted_.empty();
  }

  std::vector<std::string> wanted_;
  double logarithms_ = 0;
  int rows_ = 0;
  bool right_ = true;
};
