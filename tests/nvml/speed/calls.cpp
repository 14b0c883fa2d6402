// One of the loops that instructions_test.py counts: `calls raw|bindings power_usage|temperature|clock_info COUNT`, on
// the library that NVMLKIT_NVML_LIBRARY names. Each question is asked COUNT times.
#include <cstdio>
#include <cstdlib>
#include <nvmlkit/nvml.hpp>
#include <string>

namespace nvml = nvmlkit::nvml;
namespace abi = nvmlkit::abi;

namespace {

// What a C program writes: the pointer was looked up once, the return code is looked at.
template <class Function, class... Arguments>
[[gnu::noinline]] long raw(Function function, abi::nvmlDevice_t device, int count, Arguments... arguments) {
  long sum = 0;
  for (int i = 0; i < count; ++i) {
    unsigned int out = 0;
    if (function(device, arguments..., &out) != abi::NVML_SUCCESS) std::abort();
    sum += static_cast<long>(out);
  }
  return sum;
}

template <class Ask>
[[gnu::noinline]] long bound(const nvml::Device& device, int count, Ask ask) {
  long sum = 0;
  for (int i = 0; i < count; ++i) {
    const auto answer = ask(device);
    if (!answer) std::abort();
    sum += answer->count();
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const bool bindings = std::string(argv[1]) == "bindings";
  const std::string what = argv[2];
  const int count = std::atoi(argv[3]);
  const auto library = nvml::Library::open().value();
  const auto device = library.device(0).value();
  const nvml::Table& table = library.table();
  const auto gpu = abi::NVML_TEMPERATURE_GPU;
  const auto sm = abi::NVML_CLOCK_SM;
  long sum = 0;
  if (what == "power_usage")
    sum = bindings ? bound(device, count, [](const auto& d) { return d.power_usage(); })
                   : raw(table.DeviceGetPowerUsage, device.handle(), count);
  else if (what == "temperature")
    sum = bindings ? bound(device, count, [](const auto& d) { return d.temperature(nvml::TemperatureSensor::gpu); })
                   : raw(table.DeviceGetTemperature, device.handle(), count, gpu);
  else if (what == "clock_info")
    sum = bindings ? bound(device, count, [](const auto& d) { return d.clock_info(nvml::Clock::sm); })
                   : raw(table.DeviceGetClockInfo, device.handle(), count, sm);
  else
    return 2;
  std::printf("%ld\n", sum);
  return 0;
}
