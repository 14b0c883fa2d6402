// The GPUs of one plan: a primary context and a stream of each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libraries/common/driver.hpp"
#include "libraries/cufft/types.hpp"

namespace nvmlkit::cufft {

// What work on several GPUs, and work with callbacks, asks libcuda.so.1 for.
struct Calls {
  const libraries::Driver* driver = nullptr;
  decltype(&cuda::cuDeviceGet) get_device = nullptr;
  decltype(&cuda::cuDeviceGetPCIBusId) get_bus_id = nullptr;
  decltype(&cuda::cuStreamCreate) create_stream = nullptr;
  decltype(&cuda::cuStreamDestroy_v2) destroy_stream = nullptr;
  decltype(&cuda::cuStreamGetCtx) get_context_of = nullptr;
  decltype(&cuda::cuStreamWaitEvent) wait_for_event = nullptr;
  decltype(&cuda::cuEventCreate) create_event = nullptr;
  decltype(&cuda::cuEventRecord) record_event = nullptr;
  decltype(&cuda::cuEventDestroy_v2) destroy_event = nullptr;
  decltype(&cuda::cuMemcpyDtoD_v2) copy = nullptr;
  decltype(&cuda::cuMemAllocAsync) allocate_in = nullptr;  // in a stream
  decltype(&cuda::cuMemFreeAsync) free_in = nullptr;
};

// Null without a driver of ours.
const Calls* calls();

// A context is current as long as this lives; then the one before.
class InContext : libraries::InContext {
 public:
  explicit InContext(cuda::CUcontext context) : libraries::InContext(*calls()->driver, context) {}
};

class Gpus {
 public:
  struct Gpu {
    int number;  // as programs count them
    cuda::CUcontext context;
    CUstream stream;
    std::string bus_id;
  };

  // CUFFT_SUCCESS, or why these are no GPUs of a plan.
  static cufftResult make(const int* numbers, int count, std::shared_ptr<const Gpus>& out);
  ~Gpus();
  Gpus(const Gpus&) = delete;
  Gpus& operator=(const Gpus&) = delete;

  int count() const { return static_cast<int>(all_.size()); }
  const Gpu& operator[](int i) const { return all_[static_cast<std::size_t>(i)]; }

  // Each of the streams waits for what all of them were handed before.
  cuda::CUresult meet() const;
  // The streams wait for that of a program, or that one for them. Null: it need not, or the call waits.
  cuda::CUresult begin(CUstream of_program) const;
  cuda::CUresult end(CUstream of_program) const;
  cuda::CUresult wait() const;

 private:
  Gpus() = default;

  std::vector<Gpu> all_;
};

}  // namespace nvmlkit::cufft
