// libcuda.so.1 of the process, as our libraries use it. It is loaded at the first call that needs a GPU: a program may
// load the libraries on a machine without a driver.
#pragma once

#include "driver/cuda/generated/prototypes.hpp"
#include "driver/host_kernels/interface.hpp"

namespace nvmlkit::libraries {

using cuda::CUdeviceptr;
using cuda::CUresult;
using cuda::CUstream;

struct Driver {
  const host_kernels::Table* kernels = nullptr;
  decltype(&cuda::cuInit) init = nullptr;
  decltype(&cuda::cuCtxGetCurrent) get_context = nullptr;
  decltype(&cuda::cuCtxSetCurrent) set_context = nullptr;
  decltype(&cuda::cuCtxGetDevice) get_device = nullptr;
  decltype(&cuda::cuDevicePrimaryCtxRetain) retain_primary = nullptr;
  decltype(&cuda::cuDevicePrimaryCtxRelease_v2) release_primary = nullptr;
  decltype(&cuda::cuDeviceGetCount) get_count = nullptr;
  decltype(&cuda::cuDeviceGetAttribute) get_attribute = nullptr;
  decltype(&cuda::cuDeviceGetPCIBusId) get_bus_id = nullptr;
  decltype(&cuda::cuStreamSynchronize) wait_for_stream = nullptr;
  decltype(&cuda::cuStreamIsCapturing) is_capturing = nullptr;
  decltype(&cuda::cuCtxSynchronize) wait_for_context = nullptr;
  decltype(&cuda::cuMemAlloc_v2) allocate = nullptr;
  decltype(&cuda::cuMemFree_v2) release = nullptr;
  decltype(&cuda::cuMemcpy2D_v2) copy_rows = nullptr;
  decltype(&cuda::cuMemcpy2DAsync_v2) copy_rows_async = nullptr;
  decltype(&cuda::cuLibraryLoadData) load_library = nullptr;
  decltype(&cuda::cuLibraryGetKernel) get_kernel = nullptr;
  decltype(&cuda::cuLibraryUnload) unload_library = nullptr;
  decltype(&cuda::cuLaunchKernel) launch = nullptr;
};

// Null without a driver of ours; the first time, one line gives the reason.
const Driver* driver();

// A context is that of the calling thread as long as this lives; then the one before.
class InContext {
 public:
  InContext(const Driver& driver, cuda::CUcontext context);
  ~InContext();
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  const Driver& driver_;
  cuda::CUcontext before_ = nullptr;
};

// The calling thread has a context then: the one that it had, or the primary one of the first GPU.
CUresult ensure_context(const Driver& driver);

// As a handle that ends does: until all work of the thread's context is done. A stream of the handle may be gone.
void wait_for_work(const Driver& driver);

// Compute capability of a GPU, 10 * major + minor; 0 without one.
int capability(const Driver& driver, cuda::CUdevice device);
// That of the current GPU.
int capability(const Driver& driver);

// Whether products of float32 that may be rounded to TF32 are: on GPUs from Ampere on, unless NVIDIA_TF32_OVERRIDE is
// 0.
bool rounds_to_tf32(int capability);

}  // namespace nvmlkit::libraries
