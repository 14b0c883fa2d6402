#include "sim/faults/kinds.hpp"

#include "sim/events/names.hpp"
#include "sim/events/raise.hpp"
#include "sim/faults/kind_words.hpp"

namespace nvmlkit::sim::faults {
namespace {

using model::Gpu;

Expected<void> inject_event(Gpu& gpu, Words arguments) {
  if (arguments.empty()) return fail(missing("an event, such as clock"));
  const auto* wanted = find(events::kPlainEvents, arguments[0]);
  if (!wanted) return unknown("event", arguments[0], events::kPlainEvents);
  std::uint64_t data = 0;
  if (arguments.size() > 1) {
    const auto given = number(arguments[1]);
    if (!given) return fail(wrong_value("the event's data as a number", quote(arguments[1])));
    data = *given;
  }
  if (auto good = no_more(arguments, 2); !good) return good;
  events::raise(gpu, wanted->type, data);
  return {};
}

// In the order of the list of a GPU's faults.
constexpr const Kind* kAllKinds[] = {
    &kind::xid,     &kind::lost,        &kind::reset_required, &kind::off_bus, &kind::removed, &kind::recovery,
    &kind::ecc,     &kind::remap,       &kind::bank_remap,     &kind::nvlink,  &kind::fan,     &kind::inforom,
    &kind::thermal, &kind::power_brake, &kind::fabric,         &kind::event,
};

}  // namespace

constexpr Kind kind::event{"event", "NAME [DATA]", inject_event, nullptr, never_active};

std::span<const Kind* const> kinds() { return kAllKinds; }

const Kind* find_kind(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kAllKinds), std::end(kAllKinds), [&](const Kind* each) { return each->name == name; });
  return found == std::end(kAllKinds) ? nullptr : *found;
}

}  // namespace nvmlkit::sim::faults
