// The context of a GPU that all its users in the process share.
#include "driver/cuda/call.hpp"
#include "driver/cuda/context/access.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/streams/schedule.hpp"

namespace nvmlkit::cuda::functions {

CUresult DevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev) {
  auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  if (!may_be_used(*device)) return CUDA_ERROR_DEVICE_UNAVAILABLE;
  const std::lock_guard lock(device->primary_mutex);
  if (!contexts::find(device->primary)) {
    // It is what programs of the runtime library are told that go on after a reset.
    if (device->kernel_failure.load() != CUDA_SUCCESS) return CUDA_ERROR_DEVICE_UNAVAILABLE;
    std::shared_ptr<Context> made;
    const auto result = contexts::make(*device, device->primary_flags, true, 3020, made, device->primary);
    if (result != CUDA_SUCCESS) return result;
    device->primary = made->handle();
  }
  ++device->primary_retains;
  *pctx = device->primary;
  return CUDA_SUCCESS;
}

CUresult DevicePrimaryCtxRelease_v2(CUdevice dev) {
  if (schedule::is_in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const std::lock_guard lock(device->primary_mutex);
  if (device->primary_retains == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--device->primary_retains == 0) contexts::end(device->primary);
  return CUDA_SUCCESS;
}

// Documented: who holds the context has to release it all the same. The next one who retains it makes it anew.
CUresult DevicePrimaryCtxReset_v2(CUdevice dev) {
  if (schedule::is_in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const std::lock_guard lock(device->primary_mutex);
  contexts::end(device->primary);
  return CUDA_SUCCESS;
}

CUresult DevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  if (!are_context_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(device->primary_mutex);
  device->primary_flags = flags;
  if (const auto context = contexts::find(device->primary)) context->with([&](auto& s) { s.flags = flags; });
  return CUDA_SUCCESS;
}

CUresult DevicePrimaryCtxGetState(CUdevice dev, unsigned int* flags, int* active) {
  auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const std::lock_guard lock(device->primary_mutex);
  *flags = device->primary_flags;
  *active = contexts::find(device->primary) != nullptr;
  return CUDA_SUCCESS;
}

CUresult DevicePrimaryCtxRelease(CUdevice dev) { return DevicePrimaryCtxRelease_v2(dev); }
CUresult DevicePrimaryCtxReset(CUdevice dev) { return DevicePrimaryCtxReset_v2(dev); }
CUresult DevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) { return DevicePrimaryCtxSetFlags_v2(dev, flags); }

}  // namespace nvmlkit::cuda::functions
