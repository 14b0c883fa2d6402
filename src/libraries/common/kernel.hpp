// Work of a library in a stream: a function of the host that reaches the device's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "libraries/common/driver.hpp"

namespace nvmlkit::libraries {

// The context has failed, and the kernel ends.
struct Stopped {};

// The kernel fails its context with this error.
struct Failed {
  CUresult result;
};

// What a kernel sees while it runs.
class Running {
 public:
  explicit Running(host_kernels::Running& face) : face_(face) {}

  // `count` elements at an address of the device, at their address of the host. Throws Stopped where there are none.
  template <class T>
  const T* read(const T* address, std::int64_t count) {
    return static_cast<const T*>(reach(address, count, sizeof(T), host_kernels::access_read));
  }
  template <class T>
  T* write(T* address, std::int64_t count) {
    return static_cast<T*>(reach(address, count, sizeof(T), host_kernels::access_write));
  }
  // The same of elements without a type.
  const void* read(const void* address, std::int64_t count, std::size_t size) {
    return reach(address, count, size, host_kernels::access_read);
  }
  void* write(void* address, std::int64_t count, std::size_t size) {
    return reach(address, count, size, host_kernels::access_write);
  }

  // Between parts of long work.
  void tick() {
    if (!face_.tick(&face_)) throw Stopped{};
  }
  unsigned threads() const { return face_.threads; }

  // See host_kernels::Table. Without effect, and 0, where libcuda is of an older build.
  bool count_traffic(const Driver& driver, const char* bus_id, std::uint64_t sent, std::uint64_t received);
  std::uint64_t active_links(const Driver& driver);

 private:
  void* reach(const void* address, std::int64_t count, std::size_t size, host_kernels::Access access);

  host_kernels::Running& face_;
};

using host_kernels::Pipe;

struct Cost {
  double operations = 0, bytes = 0;
  Pipe pipe = host_kernels::pipe_other;
};

// Of a product of matrices: of integers, of doubles, or of numbers of 16 bits or less or rounded to those.
constexpr Pipe pipe_of_product(bool integers, bool doubles, bool narrow) {
  if (integers) return host_kernels::pipe_imma;
  if (doubles) return host_kernels::pipe_dfma;
  return narrow ? host_kernels::pipe_hmma : host_kernels::pipe_fp32;
}

// To the driver, in the way that it knows.
CUresult hand_over(const Driver& driver, CUstream stream, const host_kernels::Kernel& kernel);

// Hands a kernel to a stream: work(Running&), copied with what it holds. `name` is never freed.
template <class Work>
CUresult enqueue(const Driver& driver, CUstream stream, const char* name, Cost cost, Work work) {
  host_kernels::Kernel kernel{};
  kernel.name = name;
  kernel.operations = cost.operations;
  kernel.bytes = cost.bytes;
  kernel.pipe = cost.pipe;
  kernel.arguments = new Work(std::move(work));
  kernel.release = [](void* arguments) { delete static_cast<Work*>(arguments); };
  kernel.run = [](host_kernels::Running* face, void* arguments) -> int {
    try {
      Running running(*face);
      (*static_cast<Work*>(arguments))(running);
      return cuda::CUDA_SUCCESS;
    } catch (const Stopped&) {
      return cuda::CUDA_SUCCESS;  // the context knows why
    } catch (const Failed& failed) {
      return failed.result;
    } catch (const std::bad_alloc&) {
      return cuda::CUDA_ERROR_OUT_OF_MEMORY;
    } catch (...) {
      return cuda::CUDA_ERROR_LAUNCH_FAILED;
    }
  };
  return hand_over(driver, stream, kernel);
}

}  // namespace nvmlkit::libraries
