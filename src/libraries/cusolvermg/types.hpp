// The types of libcusolverMg in our own code: enums of the headers, what handles stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libraries/blas/routines.hpp"
#include "libraries/common/driver.hpp"
#include "libraries/cusolvermg/generated/types.hpp"

namespace nvmlkit::cusolvermg {

using blas::Complex;
using blas::DoubleComplex;

// A GPU that works: its primary context. One GPU may stand here several times, each time with a part of its own.
struct Gpu {
  int device = 0;
  cuda::CUcontext context = nullptr;
  std::string bus_id;
};

struct Handle {
  const libraries::Driver* driver = nullptr;
  std::vector<Gpu> gpus;
};

// GPUs in a row.
struct Grid {
  std::vector<int> devices;
};

// A matrix whose tiles of whole columns go to the GPUs in turn.
struct Description {
  std::int64_t rows = 0, columns = 0;
  std::int64_t tile = 0;  // its columns
  cudaDataType type{};
  std::vector<int> devices;
};

}  // namespace nvmlkit::cusolvermg
