// Memory and events of other processes.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

NVMLKIT_RUNTIME Error cudaIpcOpenMemHandle(void** pointer, CUipcMemHandle handle, unsigned flags) {
  if (!pointer) return keep(kInvalidValue);
  return with_context([&] { return cuIpcOpenMemHandle_v2(reinterpret_cast<CUdeviceptr*>(pointer), handle, flags); });
}

}  // namespace nvmlkit::cudart
