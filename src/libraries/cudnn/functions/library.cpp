#include "libraries/cudnn/functions/library.hpp"

#include <algorithm>

namespace nvmlkit::cudnn {
namespace {

thread_local std::string last_refusal;

}  // namespace

cudnnStatus_t refuse(cudnnStatus_t status, std::string why) {
  last_refusal = std::move(why);
  return status;
}

cudnnStatus_t not_simulated(const char* function, const char* what) {
  libraries::note_unsupported(function, what);
  return refuse(CUDNN_STATUS_NOT_SUPPORTED, std::string(function) + " " + what + " is not simulated");
}

cudnnStatus_t Call::status_of(libraries::CUresult result) {
  switch (result) {
    case cuda::CUDA_SUCCESS:
      return CUDNN_STATUS_SUCCESS;
    case cuda::CUDA_ERROR_OUT_OF_MEMORY:
      return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
    default:
      return refuse(CUDNN_STATUS_EXECUTION_FAILED, "the stream refused the work");
  }
}

namespace functions {
namespace {

// The release that the functions are those of.
constexpr int kRelease[] = {9, 19, 0};
constexpr std::size_t kRuntime = 13010;  // of CUDA
constexpr std::size_t kNewestDevice = 1210;

struct Callbacks {
  unsigned mask = 0;
  void* data = nullptr;
  Callback function = nullptr;
};
std::mutex callback_mutex;
Callbacks callbacks;

struct Named {
  cudnnStatus_t status;
  const char* name;
};
#define NVMLKIT_NAMED(name) \
  { name, #name }
constexpr Named kNames[] = {
    NVMLKIT_NAMED(CUDNN_STATUS_SUCCESS),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_INITIALIZED),
    NVMLKIT_NAMED(CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH),
    NVMLKIT_NAMED(CUDNN_STATUS_SERIALIZATION_VERSION_MISMATCH),
    NVMLKIT_NAMED(CUDNN_STATUS_DEPRECATED),
    NVMLKIT_NAMED(CUDNN_STATUS_LICENSE_ERROR),
    NVMLKIT_NAMED(CUDNN_STATUS_RUNTIME_IN_PROGRESS),
    NVMLKIT_NAMED(CUDNN_STATUS_RUNTIME_FP_OVERFLOW),
    NVMLKIT_NAMED(CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED),
    NVMLKIT_NAMED(CUDNN_STATUS_BAD_PARAM),
    NVMLKIT_NAMED(CUDNN_STATUS_INVALID_VALUE),
    NVMLKIT_NAMED(CUDNN_STATUS_BAD_PARAM_NULL_POINTER),
    NVMLKIT_NAMED(CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER),
    NVMLKIT_NAMED(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED),
    NVMLKIT_NAMED(CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND),
    NVMLKIT_NAMED(CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT),
    NVMLKIT_NAMED(CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH),
    NVMLKIT_NAMED(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH),
    NVMLKIT_NAMED(CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES),
    NVMLKIT_NAMED(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE),
    NVMLKIT_NAMED(CUDNN_STATUS_BAD_PARAM_CUDA_GRAPH_MISMATCH),
    NVMLKIT_NAMED(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED_SHAPE),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDART),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED_PADDING),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED_BAD_LAUNCH_PARAM),
    NVMLKIT_NAMED(CUDNN_STATUS_NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API),
    NVMLKIT_NAMED(CUDNN_STATUS_INTERNAL_ERROR),
    NVMLKIT_NAMED(CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED),
    NVMLKIT_NAMED(CUDNN_STATUS_INTERNAL_ERROR_UNEXPECTED_VALUE),
    NVMLKIT_NAMED(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED),
    NVMLKIT_NAMED(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED),
    NVMLKIT_NAMED(CUDNN_STATUS_INTERNAL_ERROR_BAD_LAUNCH_PARAM),
    NVMLKIT_NAMED(CUDNN_STATUS_INTERNAL_ERROR_TEXTURE_CREATION_FAILED),
    NVMLKIT_NAMED(CUDNN_STATUS_EXECUTION_FAILED),
    NVMLKIT_NAMED(CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER),
    NVMLKIT_NAMED(CUDNN_STATUS_EXECUTION_FAILED_CUBLAS),
    NVMLKIT_NAMED(CUDNN_STATUS_EXECUTION_FAILED_CUDART),
    NVMLKIT_NAMED(CUDNN_STATUS_EXECUTION_FAILED_CURAND),
};
#undef NVMLKIT_NAMED

}  // namespace

cudnnStatus_t create(Handle** out) {
  if (!out) return bad("no place for the handle");
  const auto* const driver = libraries::driver();
  if (!driver || libraries::ensure_context(*driver) != cuda::CUDA_SUCCESS)
    return refuse(CUDNN_STATUS_NOT_INITIALIZED, "there is no GPU");
  *out = Live<Handle>::make();
  (*out)->driver = driver;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t destroy(const Call& call) {
  libraries::wait_for_work(*call.handle.driver);
  Live<Handle>::destroy(&call.handle);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_stream(const Call& call, CUstream stream) {
  call.handle.stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_stream(const Call& call, CUstream* out) {
  if (!out) return bad("no place for the stream");
  *out = call.handle.stream;
  return CUDNN_STATUS_SUCCESS;
}

size_t version() { return kRelease[0] * 10000 + kRelease[1] * 100 + kRelease[2]; }
size_t newest_device() { return kNewestDevice; }
size_t runtime_version() { return kRuntime; }

cudnnStatus_t property(libraryPropertyType type, int* out) {
  if (!out || type > PATCH_LEVEL) return bad("no such property");
  *out = kRelease[type];
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_version() { return CUDNN_STATUS_SUCCESS; }

const char* name_of_status(cudnnStatus_t status) {
  for (const auto& named : kNames)
    if (named.status == status) return named.name;
  return "CUDNN_UNKNOWN_STATUS";
}

// Read once.
void last_error(char* message, size_t size) {
  if (!message || size == 0) return;
  const auto length = std::min(size - 1, last_refusal.size());
  std::memcpy(message, last_refusal.data(), length);
  message[length] = 0;
  last_refusal.clear();
}

// Errors of the device are those of its context: there are none besides.
cudnnStatus_t runtime_error(const Call& call, cudnnStatus_t* status, cudnnErrQueryMode_t mode, void*) {
  if (!status) return bad("no place for the status");
  *status = mode == CUDNN_ERRQUERY_BLOCKING ? call.wait() : CUDNN_STATUS_SUCCESS;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_callback(unsigned mask, void* data, Callback function) {
  const std::lock_guard lock(callback_mutex);
  callbacks = {mask, data, function};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_callback(unsigned* mask, void** data, Callback* function) {
  const std::lock_guard lock(callback_mutex);
  if (mask) *mask = callbacks.mask;
  if (data) *data = callbacks.data;
  if (function) *function = callbacks.function;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace functions
}  // namespace nvmlkit::cudnn
