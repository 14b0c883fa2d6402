#include "metrics/xids.hpp"

#include "sim/events/ring.hpp"
#include "sim/generated/model.hpp"

namespace nvmlkit::metrics {

void XidCounter::take(const sim::Machine& machine) {
  sim::events::Published event{};
  while (sim::events::take(machine.events(), cursor_, event))
    if (event.event.type == static_cast<std::uint64_t>(sim::model::EventType::xid_critical_error))
      ++counts_[{event.gpu, event.event.data}];
}

}  // namespace nvmlkit::metrics
