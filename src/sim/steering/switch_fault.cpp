#include "sim/steering/switch_fault.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "sim/events/messages.hpp"
#include "sim/events/ring.hpp"
#include "sim/generated/sxids.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"
#include "sim/transaction/change.hpp"

namespace nvmlkit::sim::steering {
namespace {

constexpr std::uint32_t kLinksOfSwitch = 64;

std::optional<std::uint32_t> whole_number(std::string_view word) { return text::number_of<std::uint32_t>(word); }

Expected<std::uint32_t> switch_of(const Machine& machine, const std::string& selector) {
  const auto switches = machine.host().nvlink.switches.span();
  const auto index = whole_number(std::string_view(selector).substr(kSwitchSelector.size()));
  if (switches.empty()) return fail(impossible("the machine has no NVSwitch"));
  if (!index || *index >= switches.size())
    return fail(wrong_value("nvswitch=0 to nvswitch=" + std::to_string(switches.size() - 1), quote(selector)));
  if (!switches[*index].bdf) return fail(impossible("the host does not see the NVSwitches of the machine"));
  return *index;
}

}  // namespace

Expected<void> inject_into_switch(const Machine& machine, std::span<const std::string> words) {
  const auto index = switch_of(machine, words[0]);
  if (!index) return fail(index.error());
  if (words.size() < 3 || words[1] != "sxid") return fail(missing("sxid and its number, such as sxid 20034"));
  if (words.size() > 4) return fail(unexpected_word(words[4]));
  const auto number = whole_number(words[2]);
  const bool known = number && std::any_of(std::begin(faults::sxids), std::end(faults::sxids),
                                           [&](const auto& sxid) { return sxid.number == *number; });
  if (!known) return fail(wrong_value("an SXid of the driver, such as 20034", quote(words[2])));
  const auto link = words.size() == 4 ? whole_number(words[3]) : 0;
  if (!link || *link >= kLinksOfSwitch)
    return fail(wrong_value("link 0 to " + std::to_string(kLinksOfSwitch - 1), quote(words[3])));
  const state::Lock lock(machine);
  if (!lock) return fail(transaction::refusal_of(lock));
  using events::Message;
  events::publish(machine.events(), events::kNoGpu,
                  {events::kLogged, events::data_of(Message::switch_port_error, *number), events::kNoInstance,
                   events::kNoInstance, events::port_of_switch(*index, *link), 0});
  lock.note_change();
  return {};
}

}  // namespace nvmlkit::sim::steering
