// What a program asks a plan for: sizes, and where the elements are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "libraries/cufft/types.hpp"
#include "libraries/fft/transform.hpp"

namespace nvmlkit::cufft {

inline constexpr int kMostDimensions = 3;

// One side of a transform. Without `embed` the elements lie without gaps, and stride and distance do not count.
struct Side {
  const long long* embed = nullptr;
  long long stride = 1, distance = 0;
  cudaDataType type = CUDA_C_32F;
};

struct Request {
  int rank = 1;
  const long long* sizes = nullptr;
  Side in, out;
  long long batch = 1;
  // The functions with a parameter for each size look at the first one only, as NVIDIA's. Such a plan cannot run.
  int checked_sizes = kMostDimensions;
};

// A checked request.
class Layout {
 public:
  // CUFFT_SUCCESS, or why there is no such plan.
  static cufftResult make(const Request& request, std::optional<Layout>& out);

  fft::Kind kind() const { return kind_; }
  int rank() const { return rank_; }
  std::int64_t size(int dimension) const { return sizes_[static_cast<std::size_t>(dimension)]; }
  std::int64_t batch() const { return batch_; }
  bool can_run() const { return can_run_; }
  cudaDataType in_type() const { return in_type_; }
  cudaDataType out_type() const { return out_type_; }
  // Real numbers without `embed` have gaps where the transform is in place: each row has room for its complex numbers.
  fft::Shape shape(bool in_place) const { return shape(in_place, batch_); }
  // The same of another number of transforms.
  fft::Shape shape(bool in_place, std::int64_t batch) const;

 private:
  struct Place {
    bool embedded = false;
    std::array<std::int64_t, kMostDimensions> embed{};
    std::int64_t stride = 1, distance = 0;
  };
  static Place place_of(const Side& side, int rank, bool embedded);
  // The stride of each dimension, and the distance between transforms.
  std::array<std::int64_t, kMostDimensions + 1> strides(const Place& place, std::int64_t last_size) const;

  int rank_ = 1;
  bool can_run_ = true;
  std::array<std::int64_t, kMostDimensions> sizes_{};
  std::int64_t batch_ = 1;
  Place in_, out_;
  fft::Kind kind_ = fft::Kind::complex;
  cudaDataType in_type_ = CUDA_C_32F, out_type_ = CUDA_C_32F;
};

// The types of both sides of a kind of plan; nothing for a number that is no kind.
struct Types {
  cudaDataType in, out;
};
std::optional<Types> types_of(cufftType type);

bool is_complex(cudaDataType type);
// Bytes of an element.
std::size_t size_of(cudaDataType type);

}  // namespace nvmlkit::cufft
