// Memory of the host that the device reaches, and no memory behind it.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "driver/cuda/generated/prototypes.hpp"
#include "loaded.hpp"

namespace nvmlkit::library_test {

// A vector whose last byte is the last one before a page that is not there: who reads behind it, crashes. With
// `pages_behind`, memory goes on: the vector to compare with. Results may depend on where a vector begins in a line of
// the cache, which is the same for both. There is a context.
template <class T>
class AtMemoryEnd {
 public:
  explicit AtMemoryEnd(const std::vector<T>& from, std::size_t pages_behind = 0) : count_(from.size()) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    behind_ = pages_behind * page;
    size_ = (count_ * sizeof(T) + page - 1) / page * page + behind_;
    // As far behind it as an increment may reach.
    whole_ = size_ + (std::size_t{1} << 20);
    start_ = static_cast<std::byte*>(mmap(nullptr, whole_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(static_cast<void*>(start_), MAP_FAILED);
    EXPECT_EQ(mprotect(start_, size_, PROT_READ | PROT_WRITE), 0);
    EXPECT_EQ(driver().find<decltype(&cuda::cuMemHostRegister_v2)>("cuMemHostRegister_v2")(start_, size_, 0u),
              cuda::CUDA_SUCCESS);
    std::copy(from.begin(), from.end(), data());
  }
  ~AtMemoryEnd() {
    driver().find<decltype(&cuda::cuMemHostUnregister)>("cuMemHostUnregister")(start_);
    munmap(start_, whole_);
  }
  AtMemoryEnd(const AtMemoryEnd&) = delete;
  AtMemoryEnd& operator=(const AtMemoryEnd&) = delete;

  T* data() const { return reinterpret_cast<T*>(start_ + size_ - behind_) - count_; }
  std::vector<T> read() const {
    EXPECT_EQ(driver().find<decltype(&cuda::cuCtxSynchronize)>("cuCtxSynchronize")(), cuda::CUDA_SUCCESS);
    return {data(), data() + count_};
  }

 private:
  static const Loaded& driver() {
    static const Loaded the("libcuda.so.1");
    return the;
  }

  std::size_t count_, behind_ = 0, size_ = 0, whole_ = 0;
  std::byte* start_ = nullptr;
};

}  // namespace nvmlkit::library_test
