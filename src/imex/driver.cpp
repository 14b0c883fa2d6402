#include "imex/driver.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <nvmlkit/generated/table.hpp>

namespace nvmlkit::imex {
namespace {

using nvml::Table;

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

// With the type that the bindings have for it. The bindings' own loader would have to be installed beside this program
// in a build with shared libraries.
template <class Function>
Function find(void* library, Function Table::*, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

unsigned count_gpus(void* library) {
  unsigned count = 0;
  const auto get_count = find(library, &Table::DeviceGetCount_v2, "nvmlDeviceGetCount_v2");
  return get_count && get_count(&count) == abi::NVML_SUCCESS ? count : 0;
}

}  // namespace

std::optional<Driver> Driver::open(std::string& problem) {
  void* const library = load_library();
  if (!library) return problem = "cannot load libnvidia-ml.so.1", std::nullopt;
  Driver driver(library);
  std::array<char, abi::SYSTEM_DRIVER_VERSION_BUFFER_SIZE> version{};
  const auto init = find(library, &Table::Init_v2, "nvmlInit_v2");
  const auto get_version = find(library, &Table::SystemGetDriverVersion, "nvmlSystemGetDriverVersion");
  if (!init || !get_version || init() != abi::NVML_SUCCESS ||
      get_version(version.data(), version.size()) != abi::NVML_SUCCESS || count_gpus(library) == 0)
    return problem = "NVML finds no GPU", std::nullopt;
  driver.version_ = version.data();
  return driver;
}

bool Driver::has_fabric() const {
  const auto get_gpu = find(library_, &Table::DeviceGetHandleByIndex_v2, "nvmlDeviceGetHandleByIndex_v2");
  const auto get_fabric = find(library_, &Table::DeviceGetGpuFabricInfo, "nvmlDeviceGetGpuFabricInfo");
  if (!get_gpu || !get_fabric) return false;
  const auto count = count_gpus(library_);
  for (unsigned i = 0; i < count; ++i) {
    abi::nvmlDevice_t gpu{};
    abi::nvmlGpuFabricInfo_t info{};
    if (get_gpu(i, &gpu) != abi::NVML_SUCCESS || get_fabric(gpu, &info) != abi::NVML_SUCCESS ||
        info.state != abi::GPU_FABRIC_STATE_COMPLETED || info.status != abi::NVML_SUCCESS)
      return false;
  }
  return count > 0;
}

}  // namespace nvmlkit::imex
