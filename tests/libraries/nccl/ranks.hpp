// Ranks of one process, each on a GPU of its own.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "generated/nccl_table.hpp"
#include "gpu.hpp"

namespace nvmlkit::library_test {

inline Nccl& nccl_library() {
  static Nccl the("libnccl.so.2");
  return the;
}

inline std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

// The context of a GPU, as cudaSetDevice makes it current.
class Devices : public Gpu {
 public:
  void use(int device) {
    auto& context = contexts_[static_cast<std::size_t>(device)];
    if (!context) {
      ASSERT_EQ(find<decltype(&cuda::cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain")(&context, device),
                cuda::CUDA_SUCCESS);
    }
    ASSERT_EQ(find<decltype(&cuda::cuCtxSetCurrent)>("cuCtxSetCurrent")(context), cuda::CUDA_SUCCESS);
  }

 private:
  std::vector<cuda::CUcontext> contexts_{8};
};

inline Devices& devices() {
  static Devices the;
  return the;
}

// Bytes on a GPU.
class Buffer {
 public:
  Buffer(int device, const std::vector<std::byte>& bytes) : device_(device), size_(bytes.size()) {
    devices().use(device);
    EXPECT_EQ(devices().allocate(&address_, size_ + 1), cuda::CUDA_SUCCESS);
    if (size_ > 0) {
      EXPECT_EQ(devices().put(address_, bytes.data(), size_), cuda::CUDA_SUCCESS);
    }
  }
  ~Buffer() {
    devices().use(device_);
    devices().free(address_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* at(std::size_t offset = 0) const { return reinterpret_cast<void*>(address_ + offset); }
  std::vector<std::byte> read() const {
    devices().use(device_);
    std::vector<std::byte> out(size_);
    if (size_ > 0) {
      EXPECT_EQ(devices().get(out.data(), address_, size_), cuda::CUDA_SUCCESS);
    }
    return out;
  }

 private:
  int device_;
  std::size_t size_;
  cuda::CUdeviceptr address_ = 0;
};

// Communicators of ncclCommInitAll, and a stream for each.
class Ranks {
 public:
  explicit Ranks(int count) : comms(static_cast<std::size_t>(count)), streams(static_cast<std::size_t>(count)) {
    EXPECT_EQ(nccl_library().ncclCommInitAll(comms.data(), count, nullptr), nccl::ncclSuccess);
    for (int i = 0; i < count; ++i) {
      devices().use(i);
      EXPECT_EQ(devices().create_stream(&streams[static_cast<std::size_t>(i)], 0), cuda::CUDA_SUCCESS);
    }
  }
  ~Ranks() {
    for (auto* const comm : comms) EXPECT_EQ(nccl_library().ncclCommDestroy(comm), nccl::ncclSuccess);
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int count() const { return static_cast<int>(comms.size()); }
  // call(rank, communicator, stream) of all ranks, as one group.
  template <class Call>
  void group(Call call) {
    EXPECT_EQ(nccl_library().ncclGroupStart(), nccl::ncclSuccess);
    for (int i = 0; i < count(); ++i)
      EXPECT_EQ(call(i, comms[static_cast<std::size_t>(i)], streams[static_cast<std::size_t>(i)]), nccl::ncclSuccess);
    EXPECT_EQ(nccl_library().ncclGroupEnd(), nccl::ncclSuccess);
  }
  void wait() {
    for (int i = 0; i < count(); ++i) {
      devices().use(i);
      EXPECT_EQ(devices().wait_for(streams[static_cast<std::size_t>(i)]), cuda::CUDA_SUCCESS);
    }
  }

  std::vector<nccl::Communicator*> comms;
  std::vector<cuda::CUstream> streams;
};

}  // namespace nvmlkit::library_test
