// A function of the driver library, looked up once.
#pragma once

#include <dlfcn.h>

#include "nvmlkit/generated/abi.hpp"

namespace nvmlkit::driver_test {

template <class... Args>
class Entry {
 public:
  Entry(void* library, const char* name)
      : function_(reinterpret_cast<abi::nvmlReturn_t (*)(Args...)>(dlsym(library, name))) {}
  abi::nvmlReturn_t operator()(Args... args) const { return function_(args...); }

 private:
  abi::nvmlReturn_t (*function_)(Args...);
};

}  // namespace nvmlkit::driver_test
