#include "recording/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "recording/fields.hpp"
#include "recording/report.hpp"
#include "sim/processes/occupants.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::recording {
namespace {

// A field of whole numbers cannot show half a unit.
constexpr double kRounding = 0.5 + 1e-9;

std::uint64_t reasons_of(const sim::Machine& machine, const Gpu& copy, std::int64_t now) {
  std::uint64_t out = 0;
  for (const auto& reason : reason_bits())
    if (shown_at(machine, copy, reason.path, now).value_or(0) != 0) out |= reason.bit;
  return out;
}

// Without the reasons that the model does not have.
double comparable(const Value& value) {
  if (value.quantity != Quantity::event_reasons) return value.value;
  std::uint64_t known = 0;
  for (const auto& reason : reason_bits()) known |= reason.bit;
  return static_cast<double>(static_cast<std::uint64_t>(std::clamp(value.value, 0.0, 1e9)) & known);
}

}  // namespace

std::optional<double> shown_of(const sim::Machine& machine, std::size_t place, const Gpu& copy, Quantity quantity) {
  const auto now = sim::now_ns(machine);
  switch (quantity) {
    case Quantity::memory_used:
    case Quantity::memory_free:
    case Quantity::memory_reserved: {
      if (!copy.memory.total_bytes) return {};
      sim::processes::Memory memory{};
      const auto& gpu = machine.gpus()[place];
      static_cast<void>(sim::state::consistently(machine, machine.sequence(gpu),
                                                 [&] { memory = sim::processes::memory_of_board(machine, gpu); }));
      return static_cast<double>(quantity == Quantity::memory_used   ? memory.used
                                 : quantity == Quantity::memory_free ? memory.free
                                                                     : memory.reserved);
    }
    case Quantity::event_reasons:
      return static_cast<double>(reasons_of(machine, copy, now));
    case Quantity::xid:
      return copy.faults.last_xid;
    default:
      return shown_at(machine, copy, row_of(quantity).path, now);
  }
}

void Check::look(const Frame& frame, std::int64_t first_ms) {
  const auto copy = std::make_unique<Gpu>();
  std::size_t copied = machine_.gpus().size();
  for (const auto& value : frame.values) {
    auto& held = held_[value.quantity];
    ++held.values;
    const auto& gpu = machine_.gpus()[value.place];
    if (copied != value.place)
      static_cast<void>(sim::state::consistently(
          machine_, machine_.sequence(gpu), [&] { std::memcpy(static_cast<void*>(copy.get()), &gpu, sizeof gpu); }));
    copied = value.place;
    if (copy->faults.availability != sim::faults::Availability::available && value.quantity != Quantity::xid) {
      ++held.out_of_reach;
      continue;
    }
    const auto wanted = comparable(value);
    const auto shown = shown_of(machine_, value.place, *copy, value.quantity);
    const double off = shown ? std::fabs(*shown - wanted) : 0;
    const double share = wanted != 0 ? off / std::fabs(wanted) : off > 0 ? 1 : 0;
    const bool rounded = shown && off <= kRounding && *shown == std::round(*shown) && wanted != std::round(wanted);
    if (shown && !rounded) held.worst = std::max(held.worst, share);
    if (shown && (share <= kTolerance || rounded)) continue;
    if (++held.off == 1)
      held.first_off = "gpu " + std::to_string(value.place) + " at " + time_words(value.at_ms - first_ms) +
                       ": recorded " + number_words(wanted) + ", shown " + (shown ? number_words(*shown) : "nothing");
  }
}

bool Check::holds() const {
  for (const auto& [quantity, held] : held_)
    if (held.off != 0) return false;
  return true;
}

}  // namespace nvmlkit::recording
