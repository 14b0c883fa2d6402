// Where a C function is reached in the bindings.
#pragma once

#include <span>

namespace nvmlkit::nvml::test {

struct Callable {
  const char* function;  // "nvmlDeviceGetPowerUsage"
  const char* cpp;       // "Device::power_usage"
  const char* via;       // of an older version: the newest one, whose method falls back to it
};

std::span<const Callable> callables() noexcept;

}  // namespace nvmlkit::nvml::test
