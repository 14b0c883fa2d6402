#include "imex/driver.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>

namespace nvmlkit::imex {
namespace {

// nvmlGpuFabricInfo_t.
struct FabricInfo {
  std::array<unsigned char, 16> cluster;
  int status;
  unsigned clique;
  unsigned char state;
};
constexpr unsigned char kCompleted = 3;

// The library that programs load, or that of the driver root whose program this is.
void* load_library() {
  if (void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW)) return library;
  std::array<char, 4096> path{};
  const auto length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  const std::string own(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  const auto folder = own.substr(0, own.rfind('/'));
  for (const char* place : {"/libnvidia-ml.so.1", "/../lib64/libnvidia-ml.so.1", "/../lib/libnvidia-ml.so.1"})
    if (void* const library = dlopen((folder + place).c_str(), RTLD_NOW)) return library;
  return nullptr;
}

template <class Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

unsigned count_gpus(void* library) {
  unsigned count = 0;
  const auto get_count = find<int (*)(unsigned*)>(library, "nvmlDeviceGetCount_v2");
  return get_count && get_count(&count) == 0 ? count : 0;
}

}  // namespace

std::optional<Driver> Driver::open(std::string& problem) {
  void* const library = load_library();
  if (!library) return problem = "cannot load libnvidia-ml.so.1", std::nullopt;
  Driver driver(library);
  std::array<char, 80> version{};
  const auto init = find<int (*)()>(library, "nvmlInit_v2");
  const auto get_version = find<int (*)(char*, unsigned)>(library, "nvmlSystemGetDriverVersion");
  if (!init || !get_version || init() != 0 || get_version(version.data(), version.size()) != 0 ||
      count_gpus(library) == 0)
    return problem = "NVML finds no GPU", std::nullopt;
  driver.version_ = version.data();
  return driver;
}

bool Driver::has_fabric() const {
  const auto get_gpu = find<int (*)(unsigned, void**)>(library_, "nvmlDeviceGetHandleByIndex_v2");
  const auto get_fabric = find<int (*)(void*, FabricInfo*)>(library_, "nvmlDeviceGetGpuFabricInfo");
  if (!get_gpu || !get_fabric) return false;
  const auto count = count_gpus(library_);
  for (unsigned i = 0; i < count; ++i) {
    void* gpu = nullptr;
    FabricInfo info{};
    if (get_gpu(i, &gpu) != 0 || get_fabric(gpu, &info) != 0 || info.state != kCompleted || info.status != 0)
      return false;
  }
  return count > 0;
}

}  // namespace nvmlkit::imex
