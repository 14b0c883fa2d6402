#include "libraries/cusolver/functions/helpers.hpp"

#include "libraries/common/log_file.hpp"
#include "libraries/common/soname.hpp"
#include "libraries/cusolver/functions/objects.hpp"

namespace nvmlkit::cusolver {

cusolverStatus_t Call::status_of(libraries::CUresult result) {
  switch (result) {
    case cuda::CUDA_SUCCESS:
      return CUSOLVER_STATUS_SUCCESS;
    case cuda::CUDA_ERROR_OUT_OF_MEMORY:
      return CUSOLVER_STATUS_ALLOC_FAILED;
    default:
      return CUSOLVER_STATUS_EXECUTION_FAILED;
  }
}

namespace functions {
namespace {

// Of CUDA 12.9 and of CUDA 13.0.
const int* version() {
  static constexpr int kOld[] = {11, 7, 5}, kNew[] = {12, 0, 4};
  return libraries::is_loaded_as("libcusolver.so.11") ? kOld : kNew;
}

}  // namespace

cusolverStatus_t create(Handle** out) {
  if (!out) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto* const driver = libraries::driver();
  if (!driver) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const auto result = libraries::ensure_context(*driver); result != cuda::CUDA_SUCCESS)
    return result == cuda::CUDA_ERROR_OUT_OF_MEMORY ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_NOT_INITIALIZED;
  auto* const made = new Handle;
  made->driver = driver;
  *out = made;
  return CUSOLVER_STATUS_SUCCESS;
}
// Work that it handed to streams goes on.
cusolverStatus_t destroy(const Call& call) { return destroy_object(&call.handle); }

cusolverStatus_t set_stream(const Call& call, CUstream stream) { return answer(&call.handle.stream, stream); }
cusolverStatus_t get_stream(const Call& call, CUstream* stream) { return answer(stream, call.handle.stream); }
cusolverStatus_t set_deterministic(const Call& call, cusolverDeterministicMode_t mode) {
  if (mode != CUSOLVER_DETERMINISTIC_RESULTS && mode != CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return answer(&call.handle.deterministic, mode);
}
cusolverStatus_t get_deterministic(const Call& call, cusolverDeterministicMode_t* mode) {
  return answer(mode, call.handle.deterministic);
}
cusolverStatus_t set_math(const Call& call, cusolverMathMode_t mode) {
  if (mode != CUSOLVER_DEFAULT_MATH && mode != CUSOLVER_FP32_EMULATED_BF16X9_MATH) return CUSOLVER_STATUS_INVALID_VALUE;
  return answer(&call.handle.math, mode);
}
cusolverStatus_t get_math(const Call& call, cusolverMathMode_t* mode) { return answer(mode, call.handle.math); }
// Kept, without effect: products are not emulated.
cusolverStatus_t set_strategy(const Call& call, EmulationStrategy strategy) {
  if (strategy > EmulationStrategy::eager) return CUSOLVER_STATUS_INVALID_VALUE;
  return answer(&call.handle.strategy, strategy);
}
cusolverStatus_t get_strategy(const Call& call, EmulationStrategy* strategy) {
  return answer(strategy, call.handle.strategy);
}

cusolverStatus_t get_version(int* version) {
  const int* const parts = functions::version();
  return answer(version, parts[0] * 1000 + parts[1] * 100 + parts[2]);
}
cusolverStatus_t get_property(libraryPropertyType type, int* value) {
  if (static_cast<unsigned>(type) > 2) return CUSOLVER_STATUS_INVALID_VALUE;
  return answer(value, version()[static_cast<unsigned>(type)]);
}

cusolverStatus_t create_sparse(SparseHandle** out) {
  const auto* const driver = libraries::driver();
  const auto status = driver ? create_object(out) : CUSOLVER_STATUS_NOT_INITIALIZED;
  if (status == CUSOLVER_STATUS_SUCCESS) (*out)->driver = driver;
  return status;
}
cusolverStatus_t destroy_sparse(SparseHandle* handle) {
  return is_object(handle) ? destroy_object(handle) : CUSOLVER_STATUS_NOT_INITIALIZED;
}
cusolverStatus_t set_sparse_stream(SparseHandle* handle, CUstream stream) {
  return is_object(handle) ? answer(&handle->stream, stream) : CUSOLVER_STATUS_NOT_INITIALIZED;
}
cusolverStatus_t get_sparse_stream(SparseHandle* handle, CUstream* stream) {
  return is_object(handle) ? answer(stream, handle->stream) : CUSOLVER_STATUS_NOT_INITIALIZED;
}

cusolverStatus_t create_parameters(Parameters** out) { return create_object(out); }
cusolverStatus_t destroy_parameters(Parameters* parameters) { return destroy_object(parameters); }
cusolverStatus_t set_option(Parameters* parameters, cusolverDnFunction_t function, cusolverAlgMode_t algorithm) {
  if (!is_object(parameters) || function >= parameters->algorithms.size() || algorithm > CUSOLVER_ALG_2)
    return CUSOLVER_STATUS_INVALID_VALUE;
  parameters->algorithms[function] = algorithm;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t create_eigen(JacobiEigen** out) { return create_object(out); }
cusolverStatus_t destroy_eigen(JacobiEigen* info) { return destroy_object(info); }
cusolverStatus_t create_singular(JacobiSingular** out) { return create_object(out); }
cusolverStatus_t destroy_singular(JacobiSingular* info) { return destroy_object(info); }

cusolverStatus_t set_log_callback(LogCallback) { return CUSOLVER_STATUS_SUCCESS; }
cusolverStatus_t set_log_file(std::FILE*) { return CUSOLVER_STATUS_SUCCESS; }
cusolverStatus_t open_log_file(const char* file) {
  return libraries::makes_log_file(file) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
cusolverStatus_t set_log_level(int level) {
  return level >= 0 && level <= 5 ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
cusolverStatus_t set_log_mask(int mask) {
  return mask >= 0 && mask <= 31 ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
cusolverStatus_t disable_log() { return CUSOLVER_STATUS_SUCCESS; }

}  // namespace functions
}  // namespace nvmlkit::cusolver
