// A unit test of code that reads GPUs, on a machine without any: the GPUs, one of them hot, are part of the test.
#include <cstdio>
#include <nvmlkit/interpose.hpp>
#include <nvmlkit/nvml.hpp>
#include <nvmlkit/sim/table.hpp>
#include <string>
#include <vector>

namespace nvml = nvmlkit::nvml;
namespace sim = nvmlkit::sim;

namespace {

// The code under test: the GPUs that draw more than half of what they may. A GPU that does not answer counts as busy.
std::vector<unsigned int> busy_gpus(const nvml::Library& library) {
  std::vector<unsigned int> busy;
  unsigned int index = 0;
  for (const auto& device : library.devices().value()) {
    const auto used = device.and_then([](const nvml::Device& d) { return d.power_usage(); });
    const auto limit = device.and_then([](const nvml::Device& d) { return d.enforced_power_limit(); });
    if (!used || !limit || used->count() * 2 > limit->count()) busy.push_back(index);
    ++index;
  }
  return busy;
}

constexpr const char* kMachine = R"(version: "1.0"
base: h100
system: {num_devices: 4}
devices:
  - {index: 2, power: {current_draw_mw: 650000}}
)";

int check(const char* what, const nvml::Library& library, const std::vector<unsigned int>& expected) {
  const bool right = busy_gpus(library) == expected;
  std::printf("%s: %s\n", what, right ? "ok" : "FAILED");
  return right ? 0 : 1;
}

}  // namespace

int main() {
  const auto driver = sim::SimulatedDriver::create(kMachine).value();
  int failures = check("one busy GPU", nvml::Library::from_table(driver.table()).value(), {2});

  // The same when every question about power fails from the third on.
  const auto faults = nvml::interpose::FaultInjector::create(
                          {{.function = "nvmlDeviceGetPowerUsage", .result = nvml::Errc::gpu_is_lost, .after = 2}})
                          .value();
  const auto failing = nvml::interpose::wrap(driver.table(), faults).value();
  failures += check("lost GPUs", nvml::Library::from_table(failing.table()).value(), {2, 3});
  return failures;
}
