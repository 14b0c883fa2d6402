#include "driver/nvml/library/origin.hpp"

#include <string_view>

#include "driver/nvml/call/process_hooks.hpp"
#include "sim/config/load.hpp"
#include "storage/hash.hpp"

namespace nvmlkit::driver {

sim::Expected<std::uint64_t> machine_origin(const sim::Environment& environment) {
  const auto key = sim::machine_key(environment);
  if (!key) return key;
  storage::Hash hash;
  hash.add(*key);
  const char* faults = process_faults();
  hash.add(std::string_view(faults != nullptr ? faults : ""));
  return hash.value() | 1;
}

}  // namespace nvmlkit::driver
