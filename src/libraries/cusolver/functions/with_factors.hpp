// First steps of cuSolverRf's functions.
#pragma once

#include "libraries/cusolver/call.hpp"
#include "libraries/cusolver/factored.hpp"

namespace nvmlkit::cusolver::functions {

template <class Work>
cusolverStatus_t with_handle(Refactorization* handle, Work work) {
  return is_object(handle) ? work() : CUSOLVER_STATUS_NOT_INITIALIZED;
}
// work(factored), which is there behind a setup.
template <class Work>
cusolverStatus_t with_factors(Refactorization* handle, Work work) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  return handle->factored ? work(handle->factored) : CUSOLVER_STATUS_INVALID_VALUE;
}

// Work in the default stream that is through when the call returns.
template <class Work>
cusolverStatus_t run(const libraries::Driver& driver, const char* name, double size, Work work) {
  const auto result = libraries::enqueue(driver, nullptr, name, Cost{size, 8 * size}, std::move(work));
  return Call::status_of(result == cuda::CUDA_SUCCESS ? driver.wait_for_stream(nullptr) : result);
}

// To the device, where a program asked for the bundle.
void write_numbers(Running& running, const Factored& factored);

}  // namespace nvmlkit::cusolver::functions
