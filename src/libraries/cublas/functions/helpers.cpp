#include "libraries/cublas/functions/helpers.hpp"

#include <atomic>

#include "libraries/blas/status_texts.hpp"
#include "libraries/common/soname.hpp"

namespace nvmlkit::cublas {

cublasStatus_t Call::status_of(libraries::CUresult result) {
  switch (result) {
    case cuda::CUDA_SUCCESS:
      return CUBLAS_STATUS_SUCCESS;
    case cuda::CUDA_ERROR_OUT_OF_MEMORY:
      return CUBLAS_STATUS_ALLOC_FAILED;
    default:
      return CUBLAS_STATUS_EXECUTION_FAILED;
  }
}

namespace functions {
namespace {

// Of CUDA 12.9 and of CUDA 13.0.
const int* version() {
  static constexpr int kOld[] = {12, 9, 1}, kNew[] = {13, 1, 0};
  return libraries::is_loaded_as("libcublas.so.12") ? kOld : kNew;
}

std::atomic<LogCallback> log_callback{nullptr};

}  // namespace

cublasStatus_t create(Handle** out) {
  if (!out) return CUBLAS_STATUS_INVALID_VALUE;
  const auto* const driver = libraries::driver();
  if (!driver) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (const auto result = libraries::ensure_context(*driver); result != cuda::CUDA_SUCCESS)
    return result == cuda::CUDA_ERROR_OUT_OF_MEMORY ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_NOT_INITIALIZED;
  auto* const made = new Handle;
  made->mark = kMark;
  made->driver = driver;
  made->capability = libraries::capability(*driver);
  *out = made;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t destroy(const Call& call) {
  auto* const handle = &call.handle;
  libraries::wait_for_work(*handle->driver);
  handle->mark = 0;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t get_version(Handle*, int* version) {
  const int* const parts = functions::version();
  return tell(version, parts[0] * 10000 + parts[1] * 100 + parts[2]);
}
cublasStatus_t get_property(libraryPropertyType type, int* value) {
  if (static_cast<unsigned>(type) > 2) return CUBLAS_STATUS_INVALID_VALUE;
  return tell(value, version()[static_cast<unsigned>(type)]);
}
std::size_t get_cudart_version() { return libraries::is_loaded_as("libcublas.so.12") ? 12090 : 13000; }

// The CPU needs none. It is checked as documented, and forgotten when the stream changes.
cublasStatus_t set_workspace(const Call& call, void* workspace, std::size_t size) {
  if (reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0 || (!workspace && size > 0))
    return CUBLAS_STATUS_INVALID_VALUE;
  call.handle.workspace = workspace;
  call.handle.workspace_size = size;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t set_stream(const Call& call, CUstream stream) {
  call.handle.stream = stream;
  call.handle.workspace = nullptr;
  call.handle.workspace_size = 0;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t get_stream(const Call& call, CUstream* stream) { return tell(stream, call.handle.stream); }

cublasStatus_t get_pointer_mode(const Call& call, cublasPointerMode_t* mode) {
  return tell(mode, call.handle.pointer_mode);
}
cublasStatus_t set_pointer_mode(const Call& call, cublasPointerMode_t mode) {
  if (mode > CUBLAS_POINTER_MODE_DEVICE) return CUBLAS_STATUS_INVALID_VALUE;
  call.handle.pointer_mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t get_atomics_mode(const Call& call, cublasAtomicsMode_t* mode) {
  return tell(mode, call.handle.atomics_mode);
}
cublasStatus_t set_atomics_mode(const Call& call, cublasAtomicsMode_t mode) {
  if (mode > CUBLAS_ATOMICS_ALLOWED) return CUBLAS_STATUS_INVALID_VALUE;
  call.handle.atomics_mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t get_math_mode(const Call& call, cublasMath_t* mode) { return tell(mode, call.handle.math_mode); }
cublasStatus_t set_math_mode(const Call& call, cublasMath_t mode) {
  constexpr unsigned kFlags = CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  if ((mode & ~kFlags) > CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH) return CUBLAS_STATUS_INVALID_VALUE;
  call.handle.math_mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t get_multiprocessors(const Call& call, int* count) { return tell(count, call.handle.multiprocessors); }
cublasStatus_t set_multiprocessors(const Call& call, int count) {
  if (count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  call.handle.multiprocessors = count;
  return CUBLAS_STATUS_SUCCESS;
}

const char* name_of_status(cublasStatus_t status) { return blas::text_of(static_cast<int>(status)).name; }
const char* text_of_status(cublasStatus_t status) { return blas::text_of(static_cast<int>(status)).text; }

cublasStatus_t configure_log(int, int, int, const char*) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t set_log_callback(LogCallback callback) {
  log_callback = callback;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t get_log_callback(LogCallback* callback) { return tell(callback, log_callback.load()); }

}  // namespace functions
}  // namespace nvmlkit::cublas
