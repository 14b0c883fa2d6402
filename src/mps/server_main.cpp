// nvidia-cuda-mps-server: a CUDA process that holds a context on every GPU while clients share them. The simulated CUDA
// driver knows it by its environment.
#include <dlfcn.h>
#include <unistd.h>

#include <string>

#include "mps/spawn.hpp"

namespace {

// The library that programs load, or that of the driver root whose program this is.
void* load_driver() {
  if (void* const library = dlopen("libcuda.so.1", RTLD_NOW)) return library;
  char path[4096];
  const auto length = readlink("/proc/self/exe", path, sizeof path - 1);
  const std::string own(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  const auto folder = own.substr(0, own.rfind('/'));
  for (const char* place : {"/libcuda.so.1", "/../lib64/libcuda.so.1", "/../lib/libcuda.so.1"})
    if (void* const library = dlopen((folder + place).c_str(), RTLD_NOW)) return library;
  return nullptr;
}

bool hold_gpus(void* driver) {
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto count_of = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  const auto retain = reinterpret_cast<int (*)(void**, int)>(dlsym(driver, "cuDevicePrimaryCtxRetain"));
  int count = 0;
  if (!init || !count_of || !retain || init(0) != 0 || count_of(&count) != 0) return false;
  for (int i = 0; i < count; ++i) {
    void* context = nullptr;
    if (retain(&context, i) != 0) return false;
  }
  return count > 0;
}

}  // namespace

int main() {
  void* const driver = load_driver();
  if (!driver || !hold_gpus(driver)) return 1;
  if (write(nvmlkit::mps::kReadyEnd, "r", 1) != 1) return 1;
  close(nvmlkit::mps::kReadyEnd);
  // Until the daemon ends, or ends it.
  char byte = 0;
  while (read(nvmlkit::mps::kLifelineEnd, &byte, 1) > 0) {
  }
  return 0;
}
