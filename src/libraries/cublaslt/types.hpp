// The types of libcublasLt in our own code. Programs hold descriptions as opaque bytes, which they may copy.
#pragma once

#include <cstddef>

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

struct alignas(8) MatmulDescription {
  std::int32_t compute = 0, scalar = 0, pointer_mode = CUBLASLT_POINTER_MODE_HOST;
  std::int32_t ta = 0, tb = 0, tc = 0, fill = 0;
  std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;
  std::int64_t bias_stride = 0;
  void* aux = nullptr;
  std::int64_t aux_ld = 0, aux_stride = 0, alpha_stride = 0;
  const void *a_scale = nullptr, *b_scale = nullptr, *c_scale = nullptr, *d_scale = nullptr;
  void* amax = nullptr;
  const void* aux_scale = nullptr;
  void* aux_amax = nullptr;
  const void* d_out_scale = nullptr;
  const void* emulation = nullptr;
  std::int32_t bias_type = -1, aux_type = -1, multiprocessors = 0;
  std::int32_t scale_modes[6] = {};  // of A, B, C, D, aux, the scale of D
  std::int8_t fast_sums = 0;
  std::uint64_t unused[8] = {};
};

struct alignas(8) Preference {
  std::uint32_t search = 0, reductions = ~0u;
  std::uint64_t workspace = 0;
  std::uint32_t alignments[4] = {256, 256, 256, 256};
  float waves = 0;
  std::uint64_t implementations = ~0ull;
  std::uint64_t unused[2] = {};
};

struct Algorithm {
  std::uint64_t data[8];
};

struct HeuristicResult {
  Algorithm algorithm;
  std::size_t workspace;
  cublasStatus_t state;
  float waves;
  int reserved[4];
};

}  // namespace nvmlkit::cublaslt
