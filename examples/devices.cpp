// What is in this machine: every GPU with its name, UUID and how it is doing.
#include <cinttypes>
#include <cstdio>
#include <nvmlkit/nvml.hpp>

namespace nvml = nvmlkit::nvml;

namespace {

int report(const nvml::Failure& failure) {
  std::fprintf(stderr, "%s\n", failure.message().c_str());
  if (const std::string advice = failure.advice(); !advice.empty()) std::fprintf(stderr, "%s\n", advice.c_str());
  return 1;
}

// "68 W", or why there is none.
template <class Quantity>
std::string shown(const nvml::Result<Quantity>& quantity) {
  return quantity ? to_string(*quantity) : name_of(quantity.error().code());
}

nvml::Result<void> print(const nvml::Device& device) {
  const auto name = device.name();
  if (!name) return name.error();
  const auto uuid = device.uuid();
  if (!uuid) return uuid.error();
  const auto index = device.index();
  if (!index) return index.error();
  std::printf("GPU %u: %s (%s)\n", *index, name->c_str(), uuid->c_str());
  // A GPU that cannot tell one of these still tells the others.
  std::printf("  power %s of %s\n", shown(device.power_usage()).c_str(), shown(device.enforced_power_limit()).c_str());
  std::printf("  SM clock %s\n", shown(device.clock_info(nvml::Clock::sm)).c_str());
  std::printf("  fan %s\n", shown(device.fan_speed()).c_str());
  return {};
}

}  // namespace

int main() {
  const auto library = nvml::Library::open();
  if (!library) return report(library.error());
  const auto driver = library->driver_version();
  if (!driver) return report(driver.error());
  const auto devices = library->devices();
  if (!devices) return report(devices.error());
  std::printf("driver %s, %u GPUs\n", driver->c_str(), devices->size());

  int status = 0;
  for (const auto& device : *devices)
    if (const auto printed = device.and_then(print); !printed) status = report(printed.error());
  return status;
}
