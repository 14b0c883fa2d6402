#include "kernel_log/switch_errors.hpp"

#include <algorithm>
#include <iterator>

#include "sim/events/messages.hpp"
#include "sim/generated/sxids.hpp"

namespace nvmlkit::kernel_log {
namespace {

using namespace sim;
using events::Message;

bool is_fatal(std::uint32_t number) {
  return std::any_of(std::begin(faults::sxids), std::end(faults::sxids),
                     [number](const auto& sxid) { return sxid.number == number && sxid.fatal; });
}

std::optional<SwitchError> error_of(const Machine& machine, std::size_t nvswitch, std::uint32_t port,
                                    const events::Published& event) {
  const auto switches = machine.host().nvlink.switches.span();
  if (nvswitch >= switches.size() || !switches[nvswitch].bdf) return {};
  const auto number = events::value_of(event.event.data);
  return SwitchError{nvswitch, *switches[nvswitch].bdf, port, number, is_fatal(number), event.uptime_us};
}

// At the other end of a GPU's link.
std::optional<SwitchError> error_of_peer(const Machine& machine, const events::Published& event) {
  if (event.gpu >= machine.gpus().size()) return {};  // a damaged file
  const auto& end = machine.gpus()[event.gpu].links.links[event.event.detail % links::kMaxLinks];
  const auto switches = machine.host().nvlink.switches.span();
  for (std::size_t i = 0; i < switches.size(); ++i)
    if (switches[i].bdf && *switches[i].bdf == end.remote_bus_id) return error_of(machine, i, end.remote_link, event);
  return {};
}

}  // namespace

std::optional<SwitchError> switch_error_of(const Machine& machine, const events::Published& event) {
  if (event.event.type != events::kLogged) return {};
  switch (events::message_of(event.event.data)) {
    case Message::switch_error:
      return error_of_peer(machine, event);
    case Message::switch_port_error:
      return error_of(machine, event.event.detail >> 16, event.event.detail & 0xFFFF, event);
    default:
      return {};
  }
}

std::vector<SwitchError> switch_errors(const Machine& machine) {
  std::vector<SwitchError> out;
  std::uint64_t place = 0;
  for (events::Published event{}; events::take(machine.events(), place, event);)
    if (const auto error = switch_error_of(machine, event)) out.push_back(*error);
  return out;
}

}  // namespace nvmlkit::kernel_log
