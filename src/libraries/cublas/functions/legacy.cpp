#include "libraries/cublas/functions/legacy.hpp"

#include <atomic>
#include <mutex>

namespace nvmlkit::cublas::functions {
namespace {

std::mutex mutex;
Handle* of_process;
std::atomic<cublasStatus_t> first_error{CUBLAS_STATUS_SUCCESS};

}  // namespace

cublasStatus_t legacy_init() {
  const std::lock_guard lock(mutex);
  return of_process ? CUBLAS_STATUS_SUCCESS : create(&of_process);
}

cublasStatus_t legacy_shutdown() {
  const std::lock_guard lock(mutex);
  if (!of_process) return CUBLAS_STATUS_SUCCESS;  // as NVIDIA's does
  return with(std::exchange(of_process, nullptr), "cublasShutdown", [](const Call& call) { return destroy(call); });
}

cublasStatus_t legacy_error() { return first_error.exchange(CUBLAS_STATUS_SUCCESS); }

cublasStatus_t legacy_set_stream(CUstream stream) {
  return with(legacy_handle(), "cublasSetKernelStream", [&](const Call& call) {
    call.handle.stream = stream;
    return CUBLAS_STATUS_SUCCESS;
  });
}

Handle* legacy_handle() {
  const std::lock_guard lock(mutex);
  return of_process;
}

void keep_legacy_error(cublasStatus_t status) {
  auto none = CUBLAS_STATUS_SUCCESS;
  if (status != CUBLAS_STATUS_SUCCESS) first_error.compare_exchange_strong(none, status);
}

}  // namespace nvmlkit::cublas::functions
