#include "driver/nvml/events/supported.hpp"

#include "driver/nvml/call/access.hpp"
#include "sim/traits/event_types.hpp"

namespace nvmlkit::driver {

unsigned long long supported_events(const sim::Machine& machine, const sim::model::Gpu& gpu) {
  const auto& version = machine.system().driver_version;
  return sim::event_types(gpu, version ? version->view() : std::string_view());
}

bool may_see(const sim::Machine& machine, const sim::events::Event& event) {
  return event.gpu_instance == sim::events::kNoInstance || is_privileged(machine);
}

}  // namespace nvmlkit::driver
