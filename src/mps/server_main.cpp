// nvidia-cuda-mps-server: a CUDA process that holds a context on every GPU while clients share them. The simulated CUDA
// driver knows it by its environment.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
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

// For the daemon: the driver's CUDA and its GPUs, in the form of gpus_of().
bool list_gpus(void* driver) {
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto version_of = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
  const auto count_of = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  const auto uuid_of = reinterpret_cast<int (*)(unsigned char*, int)>(dlsym(driver, "cuDeviceGetUuid_v2"));
  const auto name_of = reinterpret_cast<int (*)(char*, int, int)>(dlsym(driver, "cuDeviceGetName"));
  const auto attribute = reinterpret_cast<int (*)(int*, int, int)>(dlsym(driver, "cuDeviceGetAttribute"));
  int version = 0, count = 0;
  if (!init || !version_of || !count_of || !uuid_of || !name_of || !attribute || version_of(&version) != 0)
    return false;
  std::printf("cuda %d\n", version);
  if (init(0) != 0 || count_of(&count) != 0) return true;
  for (int i = 0; i < count; ++i) {
    unsigned char uuid[16] = {};
    char name[256] = {};
    if (uuid_of(uuid, i) != 0 || name_of(name, sizeof name, i) != 0) return false;
    std::fputs(std::strstr(name, " MIG ") != nullptr ? "MIG-" : "GPU-", stdout);
    for (int at = 0; at < 16; ++at) std::printf(at == 4 || at == 6 || at == 8 || at == 10 ? "-%02x" : "%02x", uuid[at]);
    constexpr int kMultiprocessors = 16, kMajor = 75, kMinor = 76, kIntegrated = 18;
    for (const int which : {kMultiprocessors, kMajor, kMinor, kIntegrated}) {
      int value = 0;
      if (attribute(&value, which, i) != 0) return false;
      std::printf(" %d", value);
    }
    std::puts("");
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  void* const driver = load_driver();
  if (driver && count == 2 && std::strcmp(arguments[1], nvmlkit::mps::kListOption) == 0)
    return list_gpus(driver) ? 0 : 1;
  if (!driver || !hold_gpus(driver)) return 1;
  if (write(nvmlkit::mps::kReadyEnd, "r", 1) != 1) return 1;
  close(nvmlkit::mps::kReadyEnd);
  // Until the daemon ends, or ends it.
  char byte = 0;
  while (read(nvmlkit::mps::kLifelineEnd, &byte, 1) > 0) {
  }
  return 0;
}
