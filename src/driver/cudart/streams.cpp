// Streams and events.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {
namespace {

Error create(CUstream* out, unsigned flags, int priority) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] { return cuStreamCreateWithPriority(out, flags, priority); });
}

}  // namespace

NVMLKIT_RUNTIME Error cudaStreamCreate(CUstream* out) { return create(out, 0, 0); }
NVMLKIT_RUNTIME Error cudaStreamCreateWithFlags(CUstream* out, unsigned flags) { return create(out, flags, 0); }
NVMLKIT_RUNTIME Error cudaStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
  return create(out, flags, priority);
}

// Each function of a stream, and its variant for programs with a default stream per thread.
#define NVMLKIT_OF_STREAM(name, call, ...)                                        \
  NVMLKIT_RUNTIME Error name(CUstream stream __VA_OPT__(, ) __VA_ARGS__) {        \
    return with_context([&] { return call; });                                    \
  }                                                                               \
  NVMLKIT_RUNTIME Error name##_ptsz(CUstream stream __VA_OPT__(, ) __VA_ARGS__) { \
    stream = per_thread(stream);                                                  \
    return with_context([&] { return call; });                                    \
  }
NVMLKIT_OF_STREAM(cudaStreamSynchronize, cuStreamSynchronize(stream))
NVMLKIT_OF_STREAM(cudaStreamQuery, cuStreamQuery(stream))
NVMLKIT_OF_STREAM(cudaStreamWaitEvent, cuStreamWaitEvent(stream, event, flags), CUevent event, unsigned flags)
NVMLKIT_OF_STREAM(cudaStreamAddCallback, cuStreamAddCallback(stream, callback, data, flags), CUstreamCallback callback,
                  void* data, unsigned flags)
NVMLKIT_OF_STREAM(cudaLaunchHostFunc, cuLaunchHostFunc(stream, function, data), CUhostFn function, void* data)
NVMLKIT_OF_STREAM(cudaStreamGetFlags, cuStreamGetFlags(stream, flags), unsigned* flags)
NVMLKIT_OF_STREAM(cudaStreamGetPriority, cuStreamGetPriority(stream, priority), int* priority)
NVMLKIT_OF_STREAM(cudaStreamGetId, cuStreamGetId(stream, id), unsigned long long* id)
NVMLKIT_OF_STREAM(cudaStreamIsCapturing, cuStreamIsCapturing(stream, status), CUstreamCaptureStatus* status)
NVMLKIT_OF_STREAM(cudaStreamAttachMemAsync, cuStreamAttachMemAsync(stream, address_of(pointer), size, flags),
                  void* pointer, std::size_t size, unsigned flags)
#undef NVMLKIT_OF_STREAM

namespace {

CUresult device_of(CUstream stream, int* device) {
  CUcontext context = nullptr, own = nullptr;
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (const auto result = cuStreamGetCtx(stream, &context); result != CUDA_SUCCESS) return result;
  cuCtxGetCurrent(&own);
  cuCtxSetCurrent(context);
  const auto result = cuCtxGetDevice(device);
  cuCtxSetCurrent(own);
  return result;
}

}  // namespace

NVMLKIT_RUNTIME Error cudaStreamGetDevice(CUstream stream, int* device) {
  return with_context([&] { return device_of(stream, device); });
}
NVMLKIT_RUNTIME Error cudaStreamGetDevice_ptsz(CUstream stream, int* device) {
  return with_context([&] { return device_of(per_thread(stream), device); });
}

NVMLKIT_RUNTIME Error cudaStreamDestroy(CUstream stream) {
  return with_context([&] { return cuStreamDestroy_v2(stream); });
}
NVMLKIT_RUNTIME Error cudaThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (!mode) return keep(kInvalidValue);
  return with_context([&] { return cuThreadExchangeStreamCaptureMode(mode); });
}

NVMLKIT_RUNTIME Error cudaEventCreateWithFlags(CUevent* out, unsigned flags) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] { return cuEventCreate(out, flags); });
}
NVMLKIT_RUNTIME Error cudaEventCreate(CUevent* out) { return cudaEventCreateWithFlags(out, 0); }
NVMLKIT_RUNTIME Error cudaEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return with_context([&] { return cuEventRecordWithFlags(event, stream, flags); });
}
NVMLKIT_RUNTIME Error cudaEventRecord(CUevent event, CUstream stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
NVMLKIT_RUNTIME Error cudaEventRecord_ptsz(CUevent event, CUstream stream) {
  return cudaEventRecordWithFlags(event, per_thread(stream), 0);
}
NVMLKIT_RUNTIME Error cudaEventQuery(CUevent event) {
  return with_context([&] { return cuEventQuery(event); });
}
NVMLKIT_RUNTIME Error cudaEventSynchronize(CUevent event) {
  return with_context([&] { return cuEventSynchronize(event); });
}
NVMLKIT_RUNTIME Error cudaEventDestroy(CUevent event) {
  return with_context([&] { return cuEventDestroy_v2(event); });
}
NVMLKIT_RUNTIME Error cudaEventElapsedTime(float* ms, CUevent start, CUevent end) {
  return with_context([&] { return cuEventElapsedTime(ms, start, end); });
}
NVMLKIT_RUNTIME Error cudaEventElapsedTime_v2(float* ms, CUevent start, CUevent end) {
  return cudaEventElapsedTime(ms, start, end);
}

}  // namespace nvmlkit::cudart
