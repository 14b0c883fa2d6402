// What the library asks libcuda.so.1 for.
#pragma once

#include <string>

#include "libraries/common/driver.hpp"
#include "libraries/nccl/types.hpp"

namespace nvmlkit::nccl {

struct Gpu {
  const libraries::Driver* driver = nullptr;
  decltype(&cuda::cuDeviceGet) get_device = nullptr;
  decltype(&cuda::cuDeviceGetCount) count_devices = nullptr;
  decltype(&cuda::cuDeviceGetPCIBusId) get_bus_id = nullptr;
  decltype(&cuda::cuStreamWaitEvent) wait_for_event = nullptr;
  decltype(&cuda::cuEventCreate) create_event = nullptr;
  decltype(&cuda::cuEventRecord) record_event = nullptr;
  decltype(&cuda::cuEventDestroy_v2) destroy_event = nullptr;
  decltype(&cuda::cuMemAlloc_v2) allocate = nullptr;
  decltype(&cuda::cuMemFree_v2) free = nullptr;
};

// Null without a driver of ours.
const Gpu* gpu();

// What an error of the driver is for NCCL; a line names the call.
ncclResult_t answer_of(cuda::CUresult result, const char* call);

}  // namespace nvmlkit::nccl
