// The function of the C library behind one that is replaced.
#pragma once

#include <dlfcn.h>

#include <atomic>

// Of a function that programs call. The version of a symbol is the library's default.
#define NVMLKIT_REPLACED extern "C" __attribute__((visibility("default")))

namespace nvmlkit::preload {

template <class Function>
class Next {
 public:
  explicit constexpr Next(const char* name) : name_(name) {}

  template <class... Arguments>
  auto operator()(Arguments... arguments) {
    auto* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) {
      found = dlsym(RTLD_NEXT, name_);
      found_.store(found, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function*>(found)(arguments...);
  }

 private:
  const char* name_;
  std::atomic<void*> found_{nullptr};
};

}  // namespace nvmlkit::preload
