// The first GPU of the machine, and memory of it.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "driver/cuda/generated/prototypes.hpp"
#include "loaded.hpp"

namespace nvmlkit::library_test {

class Gpu : public Loaded {
 public:
  Gpu() : Loaded("libcuda.so.1") {
    EXPECT_EQ(find<decltype(&cuda::cuInit)>("cuInit")(0), cuda::CUDA_SUCCESS);
    cuda::CUcontext context = nullptr;
    EXPECT_EQ(find<decltype(&cuda::cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain")(&context, 0),
              cuda::CUDA_SUCCESS);
    EXPECT_EQ(find<decltype(&cuda::cuCtxSetCurrent)>("cuCtxSetCurrent")(context), cuda::CUDA_SUCCESS);
  }

  decltype(&cuda::cuMemAlloc_v2) allocate = find<decltype(&cuda::cuMemAlloc_v2)>("cuMemAlloc_v2");
  decltype(&cuda::cuMemFree_v2) free = find<decltype(&cuda::cuMemFree_v2)>("cuMemFree_v2");
  decltype(&cuda::cuMemcpyHtoD_v2) put = find<decltype(&cuda::cuMemcpyHtoD_v2)>("cuMemcpyHtoD_v2");
  decltype(&cuda::cuMemcpyDtoH_v2) get = find<decltype(&cuda::cuMemcpyDtoH_v2)>("cuMemcpyDtoH_v2");
  decltype(&cuda::cuCtxSynchronize) wait = find<decltype(&cuda::cuCtxSynchronize)>("cuCtxSynchronize");
  decltype(&cuda::cuStreamCreate) create_stream = find<decltype(&cuda::cuStreamCreate)>("cuStreamCreate");
  decltype(&cuda::cuStreamSynchronize) wait_for = find<decltype(&cuda::cuStreamSynchronize)>("cuStreamSynchronize");
};

inline Gpu& gpu() {
  static Gpu the;
  return the;
}

// A vector in memory of the device.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& from) : count_(from.size()) {
    EXPECT_EQ(gpu().allocate(&address_, count_ * sizeof(T)), cuda::CUDA_SUCCESS);
    EXPECT_EQ(gpu().put(address_, from.data(), count_ * sizeof(T)), cuda::CUDA_SUCCESS);
  }
  ~OnDevice() { gpu().free(address_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  template <class U = T>
  U* as() const {
    return reinterpret_cast<U*>(address_);
  }
  std::vector<T> read() const {
    std::vector<T> out(count_);
    EXPECT_EQ(gpu().get(out.data(), address_, count_ * sizeof(T)), cuda::CUDA_SUCCESS);
    return out;
  }

 private:
  std::size_t count_;
  cuda::CUdeviceptr address_ = 0;
};

}  // namespace nvmlkit::library_test
