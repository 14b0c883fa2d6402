// A library that a test loads as programs do.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace nvmlkit::library_test {

class Loaded {
 public:
  explicit Loaded(const char* path) : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (!library_) ADD_FAILURE() << dlerror();
  }

  template <class Function>
  Function find(const char* name) const {
    return library_ ? reinterpret_cast<Function>(dlsym(library_, name)) : nullptr;
  }

 private:
  void* library_;
};

}  // namespace nvmlkit::library_test
