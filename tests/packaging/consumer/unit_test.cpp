// A test of somebody else's program: simulated GPUs of an older driver, and no library anywhere.
#include <cstdio>
#include <nvmlkit/interpose.hpp>
#include <nvmlkit/nvml.hpp>
#include <nvmlkit/sim/table.hpp>

namespace nvml = nvmlkit::nvml;

int main() {
  const auto driver = nvmlkit::sim::SimulatedDriver::create("h100", {.gpu_count = 3, .driver = "535"});
  if (!driver) return std::puts(driver.error().message().c_str()), 1;
  const auto faults = nvml::interpose::FaultInjector::create(
      {{.function = "nvmlDeviceGetTemperature", .result = nvml::Errc::gpu_is_lost}});
  const auto failing = nvml::interpose::wrap(driver->table(), faults.value()).value();
  const auto library = nvml::Library::from_table(failing.table()).value();
  const auto device = library.device(2).value();
  const bool right =
      library.device_count().value() == 3 && library.driver_version().value().starts_with("535.") &&
      device.name().value() == "NVIDIA H100 80GB HBM3" &&
      device.temperature(nvml::TemperatureSensor::gpu).error() == nvml::Errc::gpu_is_lost &&
      library.call(&nvml::Table::SystemGetDriverBranch, nullptr, 0U).error() == nvml::Errc::function_not_found;
  return right ? 0 : 2;
}
