// The types of libcublasLt in our own code. Programs hold descriptions as opaque bytes, which they may copy.
#pragma once

#include <cstddef>
#include <cstring>

#include "libraries/blas/compute.hpp"
#include "libraries/common/driver.hpp"
#include "libraries/cublaslt/generated/types.hpp"

namespace nvmlkit::cublaslt {

using libraries::CUstream;
using LogCallback = void (*)(int level, const char* function, const char* message);

struct Handle {
  const libraries::Driver* driver = nullptr;
  int capability = 0;
};

struct alignas(8) MatrixLayout {
  std::int32_t type = 0, order = CUBLASLT_ORDER_COL;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t ld = 0;
  std::int32_t count = 1, batch_mode = 0;
  std::int64_t stride = 0, plane_offset = 0;
  std::uint64_t unused = 0;
};

// Programs of CUDA 12 may hold the first part of it only.
struct alignas(8) MatmulDescription {
  std::int32_t compute = 0, scalar = 0, pointer_mode = CUBLASLT_POINTER_MODE_HOST;
  std::int32_t ta = 0, tb = 0, tc = 0, fill = 2;  // all of the matrix
  std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;
  std::int64_t bias_stride = 0;
  void* aux = nullptr;
  std::int64_t aux_ld = 0, aux_stride = 0, alpha_stride = 0;
  const void *a_scale = nullptr, *b_scale = nullptr, *c_scale = nullptr, *d_scale = nullptr;
  void* amax = nullptr;
  const void* aux_scale = nullptr;
  void* aux_amax = nullptr;
  std::int32_t bias_type = -1, aux_type = -1, multiprocessors = 0;
  std::int8_t fast_sums = 0;
  bool is_short = false;
  std::int32_t scale_modes[6] = {};  // of A, B, C, D, aux, the scale of D
  const void* d_out_scale = nullptr;
  const void* emulation = nullptr;
  std::uint64_t unused[8] = {};

  static constexpr std::size_t kShort = 184;
};
static_assert(offsetof(MatmulDescription, d_out_scale) <= MatmulDescription::kShort);

// All of one that a program holds.
inline MatmulDescription whole(const MatmulDescription& description) {
  MatmulDescription out;
  std::memcpy(static_cast<void*>(&out), &description,
              description.is_short ? offsetof(MatmulDescription, d_out_scale) : sizeof out);
  return out;
}

struct alignas(8) Preference {
  std::uint32_t search = 0, reductions = 7;
  std::uint64_t workspace = 0;
  std::uint32_t alignments[4] = {256, 256, 256, 256};
  float waves = 0;
  std::uint64_t implementations = ~0ull;
  std::uint64_t unused[2] = {};
};

struct alignas(8) TransformDescription {
  std::int32_t scalar = 0, pointer_mode = CUBLASLT_POINTER_MODE_HOST;
  std::int32_t ta = 0, tb = 0;
  std::uint64_t unused[6] = {};
};

// Products are computed in their own types: no number of bits changes a result.
struct alignas(8) EmulationDescription {
  std::int32_t strategy = 0, special_values = 0xFFFF, control = 0, most_bits = 0, offset = 0;
  void* bits = nullptr;
  std::uint64_t unused[4] = {};
};

// What a program may choose comes first, where NVIDIA's library keeps it. No choice changes a result.
struct alignas(8) Algorithm {
  std::int32_t number = 0;
  std::uint32_t tile = 0, stages = 0;
  std::int32_t splits = 1;
  std::uint32_t reduction = 0, swizzling = 0, option = 0;
  std::uint16_t inner_shape = 0, cluster_shape = 0;
  std::int32_t compute = 0, input = 0;  // `compute` is 0 in one that no function has made
  std::uint64_t unused[3] = {};
};

struct HeuristicResult {
  Algorithm algorithm;
  std::size_t workspace;
  cublasStatus_t state;
  float waves;
  int reserved[4];
};

}  // namespace nvmlkit::cublaslt
