// One process's random life with MIG instances, of mig_lifecycles.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>

#include "nvmlkit/generated/abi.hpp"

namespace nvmlkit::mig_lifecycles {

using namespace nvmlkit::abi;

inline constexpr unsigned int kGpus = 2;

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::_Exit(1);
}

inline void require(bool holds, const std::string& what) {
  if (!holds) fail(what);
}

class Library {
 public:
  explicit Library(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) fail(dlerror());
  }
  template <class... Args>
  nvmlReturn_t call(const char* name, Args... args) const {
    void* const address = dlsym(handle_, name);
    if (!address) fail(std::string("no ") + name);
    return reinterpret_cast<nvmlReturn_t (*)(Args...)>(address)(args...);
  }

 private:
  void* handle_;
};

inline void allow(const char* what, nvmlReturn_t result, std::initializer_list<nvmlReturn_t> documented) {
  require(result == NVML_SUCCESS || std::find(documented.begin(), documented.end(), result) != documented.end(),
          std::string(what) + " answered " + std::to_string(result));
}

// One process's random life: what it finds it may destroy, what it makes others may destroy.
class Life {
 public:
  Life(const Library& library, unsigned int seed) : library_(library), random_(seed) {}

  void step() {
    pick_device();
    switch (any(8)) {
      case 0:
      case 1:
        create_instance();
        break;
      case 2:
        create_placed();
        break;
      case 3:
        destroy_instance();
        break;
      case 4:
      case 5:
        create_compute();
        break;
      case 6:
        destroy_compute();
        break;
      default:
        look();
    }
  }

 private:
  unsigned int any(unsigned int below) { return std::uniform_int_distribution<unsigned int>(0, below - 1)(random_); }

  void pick_device() { require(library_.call("nvmlDeviceGetHandleByIndex_v2", any(kGpus), &device_) == 0, "no GPU"); }

  unsigned int profile() {
    constexpr unsigned int kIds[] = {19, 19, 19, 20, 15, 14, 14, 9, 5, 0, 77},
                           kNewer[] = {21, 47, 65, 67, 35, 64, 66, 32};
    return any(4) == 0 ? kNewer[any(std::size(kNewer))] : kIds[any(std::size(kIds))];
  }

  void create_instance() {
    nvmlGpuInstance_t made = nullptr;
    allow("create", library_.call("nvmlDeviceCreateGpuInstance", device_, profile(), &made),
          {NVML_ERROR_INSUFFICIENT_RESOURCES, NVML_ERROR_INVALID_ARGUMENT});
  }

  void create_placed() {
    nvmlGpuInstance_t made = nullptr;
    constexpr unsigned int kSizes[] = {1, 2, 3, 4, 6, 8, 12};
    const nvmlGpuInstancePlacement_t at{any(10), kSizes[any(std::size(kSizes))]};
    allow("create with placement",
          library_.call("nvmlDeviceCreateGpuInstanceWithPlacement", device_, profile(), &at, &made),
          {NVML_ERROR_INSUFFICIENT_RESOURCES, NVML_ERROR_INVALID_ARGUMENT});
  }

  nvmlGpuInstance_t find_instance() {
    nvmlGpuInstance_t found = nullptr;
    allow("by id", library_.call("nvmlDeviceGetGpuInstanceById", device_, any(16), &found), {NVML_ERROR_NOT_FOUND});
    return found;
  }

  void destroy_instance() {
    if (const auto found = find_instance())  // another process may have been faster
      allow("destroy", library_.call("nvmlGpuInstanceDestroy", found),
            {NVML_ERROR_IN_USE, NVML_ERROR_INVALID_ARGUMENT});
  }

  void create_compute() {
    nvmlComputeInstance_t made = nullptr;
    if (const auto found = find_instance())
      allow("create compute", library_.call("nvmlGpuInstanceCreateComputeInstance", found, any(9), &made),
            {NVML_ERROR_INSUFFICIENT_RESOURCES, NVML_ERROR_INVALID_ARGUMENT, NVML_ERROR_NOT_SUPPORTED});
  }

  void destroy_compute() {
    const auto in = find_instance();
    nvmlComputeInstance_t found = nullptr;
    if (!in) return;
    allow("compute by id", library_.call("nvmlGpuInstanceGetComputeInstanceById", in, any(4), &found),
          {NVML_ERROR_NOT_FOUND, NVML_ERROR_INVALID_ARGUMENT});
    if (found)
      allow("destroy compute", library_.call("nvmlComputeInstanceDestroy", found), {NVML_ERROR_INVALID_ARGUMENT});
  }

  void look() {
    nvmlDevice_t mig = nullptr;
    char name[96];
    unsigned int most = 0;
    require(library_.call("nvmlDeviceGetMaxMigDeviceCount", device_, &most) == NVML_SUCCESS && most > 0, "no maximum");
    allow("MIG device", library_.call("nvmlDeviceGetMigDeviceHandleByIndex", device_, any(most), &mig),
          {NVML_ERROR_NOT_FOUND});
    if (mig) allow("name", library_.call("nvmlDeviceGetName", mig, +name, 96U), {NVML_ERROR_INVALID_ARGUMENT});
  }

  const Library& library_;
  std::mt19937 random_;
  nvmlDevice_t device_ = nullptr;
};

}  // namespace nvmlkit::mig_lifecycles
