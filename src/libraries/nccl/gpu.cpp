#include "libraries/nccl/gpu.hpp"

#include <dlfcn.h>

#include "libraries/common/find_call.hpp"
#include "libraries/nccl/log.hpp"

namespace nvmlkit::nccl {
namespace {

using libraries::find_call;

bool load_calls(Gpu& out) {
  out.driver = libraries::driver();
  if (!out.driver) return false;
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library && find_call(library, "cuDeviceGet", out.get_device) &&
         find_call(library, "cuDeviceGetCount", out.count_devices) &&
         find_call(library, "cuDeviceGetPCIBusId", out.get_bus_id) &&
         find_call(library, "cuStreamWaitEvent", out.wait_for_event) &&
         find_call(library, "cuEventCreate", out.create_event) &&
         find_call(library, "cuEventRecord", out.record_event) &&
         find_call(library, "cuEventDestroy_v2", out.destroy_event) &&
         find_call(library, "cuMemAlloc_v2", out.allocate) && find_call(library, "cuMemFree_v2", out.free);
}

}  // namespace

const Gpu* gpu() {
  static const Gpu* const the = []() -> const Gpu* {
    static Gpu made;
    return load_calls(made) ? &made : nullptr;
  }();
  return the;
}

ncclResult_t answer_of(cuda::CUresult result, const char* call) {
  if (result == cuda::CUDA_SUCCESS) return ncclSuccess;
  log::warn(-1, "Cuda failure %d '%s'", static_cast<int>(result), call);
  return ncclUnhandledCudaError;
}

}  // namespace nvmlkit::nccl
