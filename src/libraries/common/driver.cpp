#include "libraries/common/driver.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "libraries/common/find_call.hpp"

namespace nvmlkit::libraries {
namespace {

using namespace cuda;

// Null, or why it is no driver of ours.
const char* load(Driver& out) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return "there is no libcuda.so.1";
  decltype(&cuGetExportTable) get_table = nullptr;
  if (!find_call(library, "cuInit", out.init) || !find_call(library, "cuCtxGetCurrent", out.get_context) ||
      !find_call(library, "cuCtxSetCurrent", out.set_context) ||
      !find_call(library, "cuCtxGetDevice", out.get_device) ||
      !find_call(library, "cuDevicePrimaryCtxRetain", out.retain_primary) ||
      !find_call(library, "cuDevicePrimaryCtxRelease_v2", out.release_primary) ||
      !find_call(library, "cuDeviceGetCount", out.get_count) ||
      !find_call(library, "cuDeviceGetAttribute", out.get_attribute) ||
      !find_call(library, "cuDeviceGetPCIBusId", out.get_bus_id) ||
      !find_call(library, "cuMemAlloc_v2", out.allocate) || !find_call(library, "cuMemFree_v2", out.release) ||
      !find_call(library, "cuStreamSynchronize", out.wait_for_stream) ||
      !find_call(library, "cuStreamIsCapturing", out.is_capturing) ||
      !find_call(library, "cuCtxSynchronize", out.wait_for_context) ||
      !find_call(library, "cuMemcpy2D_v2", out.copy_rows) ||
      !find_call(library, "cuMemcpy2DAsync_v2", out.copy_rows_async) ||
      !find_call(library, "cuLibraryLoadData", out.load_library) ||
      !find_call(library, "cuLibraryGetKernel", out.get_kernel) ||
      !find_call(library, "cuLibraryUnload", out.unload_library) || !find_call(library, "cuLaunchKernel", out.launch) ||
      !find_call(library, "cuGetExportTable", get_table))
    return "its libcuda.so.1 lacks functions of CUDA 12";
  CUuuid id;
  std::memcpy(&id, host_kernels::kTableId, sizeof id);
  const void* table = nullptr;
  if (get_table(&table, &id) != CUDA_SUCCESS || !table) return "its libcuda.so.1 is not the one of nvmlkit";
  out.kernels = static_cast<const host_kernels::Table*>(table);
  return nullptr;
}

}  // namespace

const Driver* driver() {
  static const Driver* const the = []() -> const Driver* {
    static Driver made;
    const char* const problem = load(made);
    if (!problem) return &made;
    std::fprintf(stderr, "nvmlkit: %s: start the program with `nvmlkit run`\n", problem);
    return nullptr;
  }();
  return the;
}

InContext::InContext(const Driver& driver, CUcontext context) : driver_(driver) {
  driver_.get_context(&before_);
  driver_.set_context(context);
}

InContext::~InContext() { driver_.set_context(before_); }

CUresult ensure_context(const Driver& driver) {
  if (const auto result = driver.init(0); result != CUDA_SUCCESS) return result;
  CUcontext context = nullptr;
  if (const auto result = driver.get_context(&context); result != CUDA_SUCCESS) return result;
  if (context) return CUDA_SUCCESS;
  if (const auto result = driver.retain_primary(&context, 0); result != CUDA_SUCCESS) return result;
  return driver.set_context(context);
}

void wait_for_work(const Driver& driver) {
  CUcontext context = nullptr;
  if (driver.get_context(&context) == CUDA_SUCCESS && context) driver.wait_for_context();
}

int capability(const Driver& driver, CUdevice device) {
  int major = 0, minor = 0;
  driver.get_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  driver.get_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return 10 * major + minor;
}

int capability(const Driver& driver) {
  CUdevice device = 0;
  return driver.get_device(&device) == CUDA_SUCCESS ? capability(driver, device) : 0;
}

bool rounds_to_tf32(int capability) {
  // Read once, as NVIDIA's libraries do.
  static const bool kForbidden = [] {
    const char* const word = std::getenv("NVIDIA_TF32_OVERRIDE");
    return word != nullptr && std::string_view(word) == "0";
  }();
  return capability >= 80 && !kForbidden;
}

}  // namespace nvmlkit::libraries
