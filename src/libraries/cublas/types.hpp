// The types of libcublas in our own code: enums of the headers, numbers, the handle.
#pragma once

#include <memory>
#include <vector>

#include "libraries/blas/types.hpp"
#include "libraries/common/driver.hpp"
#include "libraries/cublas/generated/types.hpp"

namespace nvmlkit::cublas {

using blas::Bfloat16;
using blas::Complex;
using blas::DoubleComplex;
using blas::Half;
using libraries::CUstream;
using LogCallback = void (*)(const char* message);

// How doubles and floats may be computed by other types. Products are computed in their own: nothing changes a result.
struct Emulation {
  cublasEmulationStrategy_t strategy = CUBLAS_EMULATION_STRATEGY_DEFAULT;
  cudaEmulationSpecialValuesSupport special_values = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
  cudaEmulationMantissaControl control = CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC;
  int most_bits = 0, offset = 0;
  int* bits = nullptr;  // where a product would tell how many it took
};

// What a program sets with a handle. Programs use a handle in one thread at a time.
struct Handle {
  std::uint64_t mark = 0;
  const libraries::Driver* driver = nullptr;
  CUstream stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics_mode{};
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  int multiprocessors = 0;
  int capability = 0;
  void* workspace = nullptr;
  std::size_t workspace_size = 0;
  Emulation emulation;
};

// One of several GPUs that compute together.
struct XtGpu {
  Handle handle;
  cuda::CUcontext context = nullptr;
  int device = 0;
};
struct XtHandle {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b627874;
  std::uint64_t mark = kMark;
  std::vector<std::unique_ptr<XtGpu>> gpus;
  int block = 2048;  // rows and columns of a tile; changes no result
  cublasXtPinnedMemMode_t pinning = CUBLASXT_PINNING_DISABLED;
};

}  // namespace nvmlkit::cublas
