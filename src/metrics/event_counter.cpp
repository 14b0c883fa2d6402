#include "metrics/event_counter.hpp"

#include "sim/events/messages.hpp"
#include "sim/events/names.hpp"
#include "sim/events/ring.hpp"
#include "sim/generated/model.hpp"

namespace nvmlkit::metrics {

using namespace sim;

void EventCounter::take(const Machine& machine) {
  events::Published published{};
  while (events::take(machine.events(), cursor_, published)) {
    const auto& event = published.event;
    if (event.type == events::kLogged) {
      const auto message = events::message_of(event.data);
      if (message == events::Message::switch_error || message == events::Message::switch_port_error)
        ++sxids_[events::value_of(event.data)];
      continue;
    }
    if (!events::name_of(event.type).empty()) ++events_[{published.gpu, event.type}];
    if (event.type == model::EventType::xid_critical_error) ++xids_[{published.gpu, event.data}];
  }
}

}  // namespace nvmlkit::metrics
