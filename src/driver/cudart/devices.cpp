// Devices: lists, the current device of a thread, settings.
#include "driver/cudart/reset.hpp"
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

NVMLKIT_RUNTIME Error cudaGetDeviceCount(int* count) {
  if (!count) return keep(kInvalidValue);
  *count = 0;
  if (const auto result = start(); result != CUDA_SUCCESS) return keep(result);
  const auto result = cuDeviceGetCount(count);
  return keep(result == CUDA_SUCCESS && *count == 0 ? CUDA_ERROR_NO_DEVICE : result);
}
NVMLKIT_RUNTIME Error cudaGetDevice(int* device) {
  if (!device) return keep(kInvalidValue);
  if (const auto result = start(); result != CUDA_SUCCESS) return keep(result);
  *device = thread_device();
  return 0;
}
NVMLKIT_RUNTIME Error cudaSetDevice(int device) { return keep(set_thread_device(device)); }
NVMLKIT_RUNTIME Error cudaInitDevice(int device, unsigned, unsigned) {
  CUcontext context = nullptr;
  return keep(context_of(device, &context));
}
NVMLKIT_RUNTIME Error cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
NVMLKIT_RUNTIME Error cudaDeviceReset() {
  if (const auto result = start(); result != CUDA_SUCCESS) return keep(result);
  last_error(true);
  return keep(renew_context(thread_device()));
}
NVMLKIT_RUNTIME Error cudaThreadExit() { return cudaDeviceReset(); }
NVMLKIT_RUNTIME Error cudaDeviceGetAttribute(int* value, int which, int device) {
  if (!value) return keep(kInvalidValue);
  if (const auto result = start(); result != CUDA_SUCCESS) return keep(result);
  return keep(cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(which), device));
}
NVMLKIT_RUNTIME Error cudaDeviceGetP2PAttribute(int* value, int which, int from, int to) {
  if (!value) return keep(kInvalidValue);
  if (const auto result = start(); result != CUDA_SUCCESS) return keep(result);
  return keep(cuDeviceGetP2PAttribute(value, static_cast<CUdevice_P2PAttribute>(which), from, to));
}
NVMLKIT_RUNTIME Error cudaDeviceGetPCIBusId(char* id, int size, int device) {
  if (const auto result = start(); result != CUDA_SUCCESS) return keep(result);
  return keep(cuDeviceGetPCIBusId(id, size, device));
}
NVMLKIT_RUNTIME Error cudaDeviceGetByPCIBusId(int* device, const char* id) {
  if (const auto result = start(); result != CUDA_SUCCESS) return keep(result);
  return keep(cuDeviceGetByPCIBusId(device, id));
}
NVMLKIT_RUNTIME Error cudaChooseDevice(int* device, const void* properties) {
  if (!device || !properties) return keep(kInvalidValue);
  *device = 0;
  return keep(start());
}
NVMLKIT_RUNTIME Error cudaSetValidDevices(int* list, int count) {
  return list && count > 0 ? cudaSetDevice(list[0]) : keep(kInvalidValue);
}
NVMLKIT_RUNTIME Error cudaSetDeviceFlags(unsigned flags) {
  if (const auto result = start(); result != CUDA_SUCCESS) return keep(result);
  return keep(cuDevicePrimaryCtxSetFlags_v2(thread_device(), flags));
}
NVMLKIT_RUNTIME Error cudaGetDeviceFlags(unsigned* flags) {
  if (!flags) return keep(kInvalidValue);
  if (const auto result = start(); result != CUDA_SUCCESS) return keep(result);
  int active = 0;
  return keep(cuDevicePrimaryCtxGetState(thread_device(), flags, &active));
}
#if NVMLKIT_CUDART_VERSION < 13000
// Older names of the same.
NVMLKIT_RUNTIME Error cudaThreadGetLimit(std::size_t* value, CUlimit which) { return cudaDeviceGetLimit(value, which); }
NVMLKIT_RUNTIME Error cudaThreadSetLimit(CUlimit which, std::size_t value) { return cudaDeviceSetLimit(which, value); }
NVMLKIT_RUNTIME Error cudaThreadGetCacheConfig(CUfunc_cache* config) { return cudaDeviceGetCacheConfig(config); }
NVMLKIT_RUNTIME Error cudaThreadSetCacheConfig(CUfunc_cache config) { return cudaDeviceSetCacheConfig(config); }

// GPUs of today compute in double themselves.
NVMLKIT_RUNTIME Error cudaSetDoubleForDevice(double*) { return 0; }
NVMLKIT_RUNTIME Error cudaSetDoubleForHost(double*) { return 0; }
#endif
NVMLKIT_RUNTIME Error cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!can) return keep(kInvalidValue);
  if (const auto result = start(); result != CUDA_SUCCESS) return keep(result);
  return keep(cuDeviceCanAccessPeer(can, device, peer));
}
NVMLKIT_RUNTIME Error cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return with_context([&] {
    CUcontext context = nullptr;
    const auto result = context_of(peer, &context);
    return result == CUDA_SUCCESS ? cuCtxEnablePeerAccess(context, flags) : result;
  });
}
NVMLKIT_RUNTIME Error cudaDeviceDisablePeerAccess(int peer) {
  return with_context([&] {
    CUcontext context = nullptr;
    const auto result = context_of(peer, &context);
    return result == CUDA_SUCCESS ? cuCtxDisablePeerAccess(context) : result;
  });
}

}  // namespace nvmlkit::cudart
