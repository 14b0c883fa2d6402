#include "libraries/cufft/layout.hpp"

namespace nvmlkit::cufft {
namespace {

// Of the numbers that an element has: the same for a real and a complex type; nothing for other types.
std::optional<cudaDataType> real_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_C_16F:
      return CUDA_R_16F;
    case CUDA_R_16BF:
    case CUDA_C_16BF:
      return CUDA_R_16BF;
    case CUDA_R_32F:
    case CUDA_C_32F:
      return CUDA_R_32F;
    case CUDA_R_64F:
    case CUDA_C_64F:
      return CUDA_R_64F;
    default:
      return std::nullopt;
  }
}

bool is_power_of_two(long long n) { return (n & (n - 1)) == 0; }

}  // namespace

bool is_complex(cudaDataType type) {
  return type == CUDA_C_16F || type == CUDA_C_16BF || type == CUDA_C_32F || type == CUDA_C_64F;
}

std::size_t size_of(cudaDataType type) {
  const std::size_t numbers = is_complex(type) ? 2 : 1;
  switch (real_of(type).value_or(CUDA_R_32F)) {
    case CUDA_R_64F:
      return 8 * numbers;
    case CUDA_R_32F:
      return 4 * numbers;
    default:
      return 2 * numbers;
  }
}

std::optional<Types> types_of(cufftType type) {
  switch (type) {
    case CUFFT_R2C:
      return Types{CUDA_R_32F, CUDA_C_32F};
    case CUFFT_C2R:
      return Types{CUDA_C_32F, CUDA_R_32F};
    case CUFFT_C2C:
      return Types{CUDA_C_32F, CUDA_C_32F};
    case CUFFT_D2Z:
      return Types{CUDA_R_64F, CUDA_C_64F};
    case CUFFT_Z2D:
      return Types{CUDA_C_64F, CUDA_R_64F};
    case CUFFT_Z2Z:
      return Types{CUDA_C_64F, CUDA_C_64F};
  }
  return std::nullopt;
}

Layout::Place Layout::place_of(const Side& side, int rank, bool embedded) {
  Place out;
  out.embedded = embedded;
  if (!embedded) return out;
  for (int i = 0; i < rank; ++i) out.embed[static_cast<std::size_t>(i)] = side.embed[i];
  out.stride = side.stride;
  out.distance = side.distance;
  return out;
}

cufftResult Layout::make(const Request& request, std::optional<Layout>& out) {
  const auto in = real_of(request.in.type), to = real_of(request.out.type);
  const bool from_real = !is_complex(request.in.type), to_real = !is_complex(request.out.type);
  if (!in || !to || *in != *to || (from_real && to_real)) return CUFFT_INVALID_TYPE;
  if (request.batch < 1) return CUFFT_INVALID_SIZE;
  Layout made;
  made.rank_ = request.rank;
  made.batch_ = request.batch;
  for (int i = 0; i < request.rank; ++i) {
    const long long size = request.sizes[i];
    if (size < 1 && i >= request.checked_sizes) {
      made.can_run_ = false;
      continue;
    }
    // Narrow floats have sizes of powers of two only.
    if (size < 1 || (size_of(*in) == 2 && !is_power_of_two(size))) return CUFFT_INVALID_SIZE;
    made.sizes_[static_cast<std::size_t>(i)] = size;
  }
  // Without one of the two, the other one does not count either.
  const bool embedded = request.in.embed && request.out.embed;
  for (const Side* side : {&request.in, &request.out}) {
    if (embedded && (side->stride < 1 || side->distance < 0)) return CUFFT_INVALID_VALUE;
    for (int i = 1; embedded && i < request.rank; ++i)
      if (side->embed[i] < 1) return CUFFT_INVALID_VALUE;
  }
  made.in_ = place_of(request.in, request.rank, embedded);
  made.out_ = place_of(request.out, request.rank, embedded);
  made.kind_ = from_real ? fft::Kind::real_to_complex : to_real ? fft::Kind::complex_to_real : fft::Kind::complex;
  made.in_type_ = request.in.type;
  made.out_type_ = request.out.type;
  out = made;
  return CUFFT_SUCCESS;
}

std::array<std::int64_t, kMostDimensions + 1> Layout::strides(const Place& place, std::int64_t last_size) const {
  std::array<std::int64_t, kMostDimensions + 1> out{};
  std::int64_t step = place.stride;
  for (int i = rank_ - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    out[at] = step;
    step *= place.embedded ? place.embed[at] : i == rank_ - 1 ? last_size : sizes_[at];
  }
  out[kMostDimensions] = place.embedded ? place.distance : step;
  return out;
}

fft::Shape Layout::shape(bool in_place, std::int64_t batch) const {
  const std::int64_t last = sizes_[static_cast<std::size_t>(rank_ - 1)], half = last / 2 + 1;
  const std::int64_t real = in_place ? 2 * half : last;
  const auto in = strides(in_, kind_ == fft::Kind::complex_to_real   ? half
                               : kind_ == fft::Kind::real_to_complex ? real
                                                                     : last);
  const auto out = strides(out_, kind_ == fft::Kind::real_to_complex   ? half
                                 : kind_ == fft::Kind::complex_to_real ? real
                                                                       : last);
  fft::Shape shape{.kind = kind_,
                   .dimensions = {},
                   .batch = batch,
                   .in_distance = in[kMostDimensions],
                   .out_distance = out[kMostDimensions]};
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank_); ++i)
    shape.dimensions.push_back({.size = sizes_[i], .in_stride = in[i], .out_stride = out[i]});
  return shape;
}

}  // namespace nvmlkit::cufft
