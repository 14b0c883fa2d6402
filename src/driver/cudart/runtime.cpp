#include "driver/cudart/runtime.hpp"

#include <pthread.h>

#include <atomic>
#include <mutex>

#include "base/never_destroyed.hpp"
#include "driver/cuda/runtime_error_names.hpp"
#include "driver/cudart/reset.hpp"
#include "sanitize/recorder.hpp"

namespace nvmlkit::cudart {
namespace {

// Aligned for the leak checker of GCC 12, which misreads a library's thread-local memory that lies 16 bytes behind the
// start of a page, and crashes.
alignas(64) constinit thread_local Error last = 0;
constinit thread_local int device = 0;

struct Primaries {
  std::mutex mutex;
  CUcontext contexts[1024] = {};
};
Primaries& primaries() {
  static NeverDestroyed<Primaries> the;  // threads may call until the end
  return *the;
}

const ErrorName* find(Error error) {
  for (const auto& known : kErrorNames)
    if (known.number == error) return &known;
  return nullptr;
}

}  // namespace

Error keep(Error error) {
  if (error != 0 && error != kNotReady) {
    last = error;
    log(error);
    if (sanitize::options())
      sanitize::record_call_error(static_cast<std::uint64_t>(error), name_of(error), cudaGetErrorString(error));
  }
  return error;
}

Error last_error(bool forget) {
  const auto out = last;
  if (forget) last = 0;
  return out;
}

CUresult start() {
  static constinit std::atomic<bool> is_child{false};
  static const CUresult result = [] {
    const auto started = cuInit(0);
    // What was started has no driver in a child.
    if (started == CUDA_SUCCESS) pthread_atfork(nullptr, nullptr, [] { is_child = true; });
    return started;
  }();
  return is_child ? CUDA_ERROR_NOT_INITIALIZED : result;
}

CUresult context_of(int which, CUcontext* context) {
  if (const auto result = start(); result != CUDA_SUCCESS) return result;
  int count = 0;
  cuDeviceGetCount(&count);
  if (count == 0) return CUDA_ERROR_NO_DEVICE;
  if (which < 0 || which >= count || which >= 1024) return CUDA_ERROR_INVALID_DEVICE;
  auto& all = primaries();
  const std::lock_guard lock(all.mutex);
  auto& kept = all.contexts[which];
  // The program may have ended it by functions of the driver.
  unsigned version = 0;
  if (kept && cuCtxGetApiVersion(kept, &version) == CUDA_ERROR_INVALID_CONTEXT) kept = nullptr;
  if (!kept)
    if (const auto result = cuDevicePrimaryCtxRetain(&kept, which); result != CUDA_SUCCESS) return result;
  *context = kept;
  return CUDA_SUCCESS;
}

CUresult renew_context(int which) {
  if (const auto result = cuDevicePrimaryCtxReset_v2(which); result != CUDA_SUCCESS) return result;
  auto& all = primaries();
  const std::lock_guard lock(all.mutex);
  auto& kept = all.contexts[which];
  if (!kept) return CUDA_SUCCESS;
  const bool is_current = current_context() == kept;
  cuDevicePrimaryCtxRelease_v2(which);
  // After an error of a kernel there is no other one; the next call says so.
  if (cuDevicePrimaryCtxRetain(&kept, which) == CUDA_SUCCESS) return CUDA_SUCCESS;
  kept = nullptr;
  return is_current ? cuCtxSetCurrent(nullptr) : CUDA_SUCCESS;
}

CUresult ready() {
  if (const auto result = start(); result != CUDA_SUCCESS) return result;
  CUcontext current = nullptr;
  if (cuCtxGetCurrent(&current) == CUDA_SUCCESS && current) return CUDA_SUCCESS;
  if (const auto result = context_of(device, &current); result != CUDA_SUCCESS) return result;
  return cuCtxSetCurrent(current);
}

int thread_device() {
  CUcontext current = nullptr;
  CUdevice own = 0;
  if (cuCtxGetCurrent(&current) == CUDA_SUCCESS && current && cuCtxGetDevice(&own) == CUDA_SUCCESS) return own;
  return device;
}

Error set_thread_device(int which) {
  CUcontext context = nullptr;
  if (const auto result = context_of(which, &context); result != CUDA_SUCCESS) return static_cast<Error>(result);
  device = which;
  return static_cast<Error>(cuCtxSetCurrent(context));
}

namespace {

// What is known of kernels that went wrong; those that run are not waited for.
Error failure() {
  CUdevice own = 0;
  const auto result = cuCtxGetDevice(&own);
  return result >= CUDA_ERROR_ILLEGAL_ADDRESS && result < CUDA_ERROR_NOT_PERMITTED ? static_cast<Error>(result) : 0;
}

}  // namespace

NVMLKIT_RUNTIME Error cudaGetLastError() {
  if (const auto failed = failure()) return failed;
  return last_error(true);
}

NVMLKIT_RUNTIME Error cudaPeekAtLastError() {
  if (const auto failed = failure()) return failed;
  return last_error(false);
}

const char* name_of(Error error) {
  const auto* known = find(error);
  return known ? known->name : "unrecognized error code";
}

NVMLKIT_RUNTIME const char* cudaGetErrorName(Error error) { return name_of(error); }

NVMLKIT_RUNTIME const char* cudaGetErrorString(Error error) {
  const auto* known = find(error);
  if (known && known->text) return known->text;
  const char* text = nullptr;
  return known && cuGetErrorString(static_cast<CUresult>(error), &text) == CUDA_SUCCESS ? text
                                                                                        : "unrecognized error code";
}

NVMLKIT_RUNTIME Error cudaRuntimeGetVersion(int* version) {
  if (!version) return keep(kInvalidValue);
  *version = NVMLKIT_CUDART_VERSION;
  return 0;
}

NVMLKIT_RUNTIME Error cudaDriverGetVersion(int* version) {
  if (!version) return keep(kInvalidValue);
  return keep(cuDriverGetVersion(version));
}

// Private tables of NVIDIA's runtime: there are none here.
NVMLKIT_RUNTIME Error cudaGetExportTable(const void** table, const CUuuid*) {
  if (table) *table = nullptr;
  return keep(kInvalidValue);
}

NVMLKIT_RUNTIME Error cudaProfilerStart() { return 0; }
NVMLKIT_RUNTIME Error cudaProfilerStop() { return 0; }

NVMLKIT_RUNTIME Error cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                                       unsigned long long flags, int* status) {
  if (!symbol || !function) return keep(kInvalidValue);
  CUdriverProcAddressQueryResult found{};
  const auto result = cuGetProcAddress_v2(symbol, function, static_cast<int>(version), flags, &found);
  if (status) *status = static_cast<int>(found);
  return keep(result);
}

// What asks for the functions of its own kind of default stream gets those with one per thread.
namespace {

unsigned long long of_per_thread(unsigned long long flags) {
  return flags != 0 ? flags : static_cast<unsigned long long>(CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
}

}  // namespace

NVMLKIT_RUNTIME Error cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function, unsigned version,
                                                            unsigned long long flags, int* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, version, of_per_thread(flags), status);
}

#if NVMLKIT_CUDART_VERSION < 12000
NVMLKIT_RUNTIME Error cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags) {
  return cudaGetDriverEntryPointByVersion(symbol, function, NVMLKIT_CUDART_VERSION, flags, nullptr);
}
NVMLKIT_RUNTIME Error cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function, unsigned long long flags) {
  return cudaGetDriverEntryPoint(symbol, function, of_per_thread(flags));
}
#else
NVMLKIT_RUNTIME Error cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                              int* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, NVMLKIT_CUDART_VERSION, flags, status);
}
NVMLKIT_RUNTIME Error cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function, unsigned long long flags,
                                                   int* status) {
  return cudaGetDriverEntryPoint(symbol, function, of_per_thread(flags), status);
}
#endif

}  // namespace nvmlkit::cudart
