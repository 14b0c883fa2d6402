#include "sim/setters/changes.hpp"

#include <cstring>

#include "sim/events/raise.hpp"

namespace nvmlkit::sim::setters {

void raise_events(const model::Gpu& before, model::Gpu& after) {
  using model::EventType;
  if (std::memcmp(&before.clocks, &after.clocks, sizeof before.clocks) != 0) events::raise(after, EventType::clock);
  if (before.performance_state != after.performance_state) events::raise(after, EventType::pstate);
  if (before.mig.mode_current != after.mig.mode_current) events::raise(after, EventType::mig_config_change);
}

}  // namespace nvmlkit::sim::setters
