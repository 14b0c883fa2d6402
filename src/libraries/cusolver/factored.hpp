// What cuSolverRf keeps of a matrix: the pattern of its factors, and their numbers for each matrix of a batch.
#pragma once

#include "libraries/cusolver/sparse/refactored.hpp"
#include "libraries/cusolver/types.hpp"

namespace nvmlkit::cusolver {

// Read and written by work in the default stream, one after the other.
struct Factored {
  Factored(const libraries::Driver& d, sparse::Bundle b, std::size_t batch)
      : driver(d), bundle(std::move(b)), values(batch, bundle.first_values()), zero_pivots(batch, -1) {}
  Factored(const Factored&) = delete;
  Factored& operator=(const Factored&) = delete;
  ~Factored() {
    for (const auto address : {offsets, columns, numbers})
      if (address) driver.release(address);
  }

  const libraries::Driver& driver;
  sparse::Bundle bundle;
  std::vector<std::vector<double>> values;
  std::vector<int> zero_pivots;  // of the last factorization: -1 is none
  bool is_analyzed = false, is_boosted = false, is_right = true;
  // The bundle in memory of the device, since a program asked for it.
  libraries::CUdeviceptr offsets = 0, columns = 0, numbers = 0;
};

}  // namespace nvmlkit::cusolver
