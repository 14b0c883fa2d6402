// module_user [LIBRARY GPUS]: a program that imports the bindings. An error is caught as an exception; with a library,
// its GPUs are counted.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>

import nvmlkit.nvml;

namespace nvml = nvmlkit::nvml;
namespace abi = nvmlkit::abi;

namespace {

bool catches_errors() {
  try {
    static_cast<void>(nvml::Library::from_table(nvml::Table{}).value());
  } catch (const nvml::Error& error) {
    return error.errc() == nvml::Errc::function_not_found && error.code() == nvml::Errc::function_not_found;
  }
  return false;
}

// What needs no driver: units, masks, texts of enums, constants.
bool has_values() {
  constexpr nvml::Milliwatts limit = nvml::Milliwatts(300000) + nvml::Milliwatts(1);
  static_assert(limit.count() == 300001 && abi::NVML_TEMPERATURE_GPU == 0 && abi::DEVICE_NAME_BUFFER_SIZE > 0);
  const nvml::ClocksEventReasons reasons(nvml::ClocksEventReason::gpu_idle);
  return to_string(limit) == "300001 mW" && to_string(reasons) == "gpu_idle" && to_string(nvml::Clock::sm) == "sm" &&
         to_string(abi::NVML_BRAND_TESLA) == "NVML_BRAND_TESLA" &&
         nvml::from_string<abi::nvmlBrandType_t>("NVML_BRAND_TESLA") == abi::NVML_BRAND_TESLA &&
         nvml::name_of(nvml::Errc::not_supported) == "not_supported" &&
         nvml::find_symbol("nvmlDeviceGetName") == &nvml::symbol_of(&nvml::Table::DeviceGetName);
}

}  // namespace

int main(int count, char** arguments) {
  if (!catches_errors()) return 1;
  if (!has_values()) return 2;
  if (count < 3) return 0;
  const auto library = nvml::Library::open({.load = {.path = arguments[1]}});
  if (!library) return std::puts(library.error().message().c_str()), 3;
  unsigned int gpus = 0;
  for (const auto& device : library->devices().value()) {
    const auto memory = device->memory_info().value();
    const auto temperature = device->temperature(nvml::TemperatureSensor::gpu).value();
    std::printf("%s: %s, %s\n", device->name().value().c_str(), to_string(temperature).c_str(),
                to_string(memory).c_str());
    ++gpus;
  }
  return gpus == static_cast<unsigned int>(std::atoi(arguments[2])) ? 0 : 4;
}
