// Notifications of the driver. The only one is about WDDM's memory budgets and never arrives here.
#include <algorithm>

#include "base/never_destroyed.hpp"
#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/handles.hpp"

namespace nvmlkit::cuda::functions {
namespace {

auto& all_notifications() {
  static NeverDestroyed<Handles<CUasyncCallbackHandle, CUdevice, HandleKind::notification>> the;
  return *the;
}

}  // namespace

CUresult DeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback callbackFunc, void*,
                                         CUasyncCallbackHandle* callback) {
  if (!find_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (!callbackFunc) return CUDA_ERROR_INVALID_VALUE;
  *callback = all_notifications().add(std::make_shared<CUdevice>(device));
  return CUDA_SUCCESS;
}

CUresult DeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle callback) {
  if (!find_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  const auto own = all_notifications().find(callback);
  if (!own || *own != device) return CUDA_ERROR_INVALID_VALUE;
  return all_notifications().remove(callback) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace nvmlkit::cuda::functions
