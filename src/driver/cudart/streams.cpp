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

NVMLKIT_RUNTIME Error cudaThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (!mode) return keep(kInvalidValue);
  return with_context([&] { return cuThreadExchangeStreamCaptureMode(mode); });
}

NVMLKIT_RUNTIME Error cudaEventCreateWithFlags(CUevent* out, unsigned flags) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] { return cuEventCreate(out, flags); });
}
NVMLKIT_RUNTIME Error cudaEventCreate(CUevent* out) { return cudaEventCreateWithFlags(out, 0); }
NVMLKIT_RUNTIME Error cudaEventRecord(CUevent event, CUstream stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
NVMLKIT_RUNTIME Error cudaEventElapsedTime_v2(float* ms, CUevent start, CUevent end) {
  return cudaEventElapsedTime(ms, start, end);
}

}  // namespace nvmlkit::cudart
