// The headers that <nvmlkit/nvml.hpp> does not include, and the module: the same types in both.
#include <memory>
#include <nvmlkit/interpose.hpp>
#include <nvmlkit/registry.hpp>

import nvmlkit.nvml;

namespace nvml = nvmlkit::nvml;

int main() {
  const auto lock = std::make_shared<nvml::interpose::SerializingLock>();
  const auto wrapped = nvml::interpose::wrap(nvml::Table{}, lock).value();
  const bool right = nvml::Library::from_table(wrapped.table()).error() == nvml::Errc::function_not_found &&
                     nvml::find_function("nvmlDeviceGetPowerUsage")->unit == "mW";
  return right ? 0 : 1;
}
