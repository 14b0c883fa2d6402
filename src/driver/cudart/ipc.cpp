// Memory and events of other processes.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

NVMLKIT_RUNTIME Error cudaIpcGetMemHandle(CUipcMemHandle* handle, void* pointer) {
  return with_context([&] { return cuIpcGetMemHandle(handle, address_of(pointer)); });
}
NVMLKIT_RUNTIME Error cudaIpcOpenMemHandle(void** pointer, CUipcMemHandle handle, unsigned flags) {
  if (!pointer) return keep(kInvalidValue);
  return with_context([&] { return cuIpcOpenMemHandle_v2(reinterpret_cast<CUdeviceptr*>(pointer), handle, flags); });
}
NVMLKIT_RUNTIME Error cudaIpcCloseMemHandle(void* pointer) {
  return with_context([&] { return cuIpcCloseMemHandle(address_of(pointer)); });
}
NVMLKIT_RUNTIME Error cudaIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
  return with_context([&] { return cuIpcGetEventHandle(handle, event); });
}
NVMLKIT_RUNTIME Error cudaIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
  return with_context([&] { return cuIpcOpenEventHandle(event, handle); });
}

}  // namespace nvmlkit::cudart
