#include "recording/drive.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "sim/state/clock.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/command.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/telemetry/pins.hpp"
#include "sim/transaction/change.hpp"

namespace nvmlkit::recording {

using namespace sim;

namespace {

std::vector<std::size_t> places_of(const Frame& frame) {
  std::set<std::size_t> out;
  for (const auto& value : frame.values) out.insert(value.place);
  for (const auto& end : frame.ends) out.insert(end.place);
  return {out.begin(), out.end()};
}

std::span<const Value> values_of(const Frame& frame, std::size_t place) {
  const auto [first, last] = std::equal_range(frame.values.begin(), frame.values.end(), Value{.place = place},
                                              [](const Value& a, const Value& b) { return a.place < b.place; });
  return {first, last};
}

}  // namespace

Drive::Drive(const Machine& machine, const Timeline& timeline)
    : machine_(machine), timeline_(timeline), driven_(machine.gpus().size()) {
  for (std::size_t i = 0; i < driven_.size(); ++i) {
    driven_[i].before = std::make_unique<Gpu>();
    const auto& gpu = machine.gpus()[i];
    static_cast<void>(state::consistently(machine, machine.sequence(gpu), [&] {
      std::memcpy(static_cast<void*>(driven_[i].before.get()), &gpu, sizeof gpu);
    }));
  }
}

Expected<void> Drive::apply(const Frame& frame) {
  last_ms_ = frame.at_ms;
  if (auto done = heal_answering(frame); !done) return done;
  if (auto done = apply_faults(frame); !done) return done;
  const auto places = places_of(frame);
  if (places.empty()) return {};
  return transaction::change_gpus(machine_, places,
                                  [&](Gpu& gpu, std::size_t place) { return change(gpu, place, frame); });
}

// Values of a GPU prove that it answers.
Expected<void> Drive::heal_answering(const Frame& frame) {
  for (const auto place : places_of(frame)) {
    if (machine_.gpus()[place].faults.availability == faults::Availability::available) continue;
    const auto values = values_of(frame, place);
    if (std::all_of(values.begin(), values.end(), [](const Value& each) { return each.quantity == Quantity::xid; }))
      continue;
    const std::vector<std::string> words = {"heal", "gpu=" + std::to_string(place)};
    if (auto done = steering::steer(machine_, words); !done) return done;
  }
  return {};
}

Expected<void> Drive::apply_faults(const Frame& frame) {
  for (const auto& xid : frame.xids)
    if (auto done = raise(xid.place, xid.number); !done) return done;
  for (const auto& value : frame.values) {
    if (value.quantity != Quantity::xid) continue;
    auto& last = driven_[value.place].last_xid;
    const bool changed = last != value.value;
    const bool over = changed && value.value == 0;
    last = value.value;
    ++fates_[Quantity::xid].values;
    if (over) {
      const std::vector<std::string> words = {"heal", "gpu=" + std::to_string(value.place)};
      if (auto done = steering::steer(machine_, words); !done) return done;
    } else if (changed && value.value > 0 && value.value < 1e6) {
      if (auto done = raise(value.place, static_cast<std::uint32_t>(value.value)); !done) return done;
    }
  }
  return {};
}

// A number that no driver raises counts as a refusal and does not end the replay.
Expected<void> Drive::raise(std::size_t place, std::uint32_t number) {
  const std::vector<std::string> words = {"fault", "gpu=" + std::to_string(place), "xid", std::to_string(number),
                                          "--force"};
  auto undo = steering::undo_of(machine_, words);
  auto done = steering::steer(machine_, words);
  if (!done && done.error().kind == ProblemKind::busy) return done;
  if (!done) {
    if (!xid_refusal_) xid_refusal_ = done.error();
    return {};
  }
  ++xids_;
  for (auto& each : undo)
    if (std::none_of(undo_.begin(), undo_.end(), [&](const auto& known) { return known.key == each.key; }))
      undo_.push_back(std::move(each));
  return {};
}

Expected<void> Drive::change(Gpu& gpu, std::size_t place, const Frame& frame) {
  const auto now = now_ns(machine_);
  const auto values = values_of(frame, place);
  for (const auto& end : frame.ends)
    if (end.place == place) end_series(gpu, end);
  for (const auto& value : values)
    if (const auto way = row_of(value.quantity).way; way == Way::setting || way == Way::total)
      apply_setting(gpu, place, value);
  apply_loads(gpu, place, values, now);
  apply_live(gpu, place, values, now);
  for (const auto& value : values)
    if (row_of(value.quantity).way == Way::counter) apply_counter(gpu, place, value, now);
  return {};
}

void Drive::refuse(Quantity quantity, const Problem& problem) {
  auto& fate = fates_[quantity];
  ++fate.values;
  if (++fate.refused == 1) fate.refusal = problem;
}

void Drive::stop_clock(std::size_t place, Quantity quantity, std::int64_t at_ms) {
  auto& held = driven_[place].held[static_cast<std::size_t>(quantity)];
  if (held.driven) {
    auto& fate = fates_[quantity];
    fate.driven_ms += at_ms - held.since_ms;
    if (held.pinned) fate.pinned_ms += at_ms - held.since_ms;
  }
  held = {};
}

void Drive::account(std::size_t place, const Value& value, bool pinned) {
  stop_clock(place, value.quantity, value.at_ms);
  driven_[place].held[static_cast<std::size_t>(value.quantity)] = {value.at_ms, true, pinned};
  auto& fate = fates_[value.quantity];
  ++fate.values;
  if (pinned) ++fate.pinned;
}

void Drive::end(bool give_back) {
  for (std::size_t i = 0; i < driven_.size(); ++i)
    for (std::size_t q = 0; q < kQuantities; ++q) stop_clock(i, static_cast<Quantity>(q), last_ms_);
  if (give_back) give_all_back();
}

void Drive::give_all_back() {
  std::vector<std::size_t> places(driven_.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  // The newest first, so that the oldest state wins.
  for (auto each = undo_.rbegin(); each != undo_.rend(); ++each)
    static_cast<void>(steering::steer(machine_, each->words));
  static_cast<void>(transaction::change_gpus(machine_, places, [&](Gpu& gpu, std::size_t place) -> Expected<void> {
    const auto now = now_ns(machine_);
    const auto& before = *driven_[place].before;
    for (const auto& [quantity, fate] : fates_) {
      const auto& row = row_of(quantity);
      if (row.way == Way::live || row.way == Way::load || row.way == Way::counter)
        telemetry::release(gpu, row.path);
      else if (row.way == Way::reasons)
        for (const auto& reason : reason_bits()) telemetry::release(gpu, reason.path);
      else if (const auto was = shown_at(machine_, before, row.path, now);
               was && !row.path.empty() && shown_at(machine_, gpu, row.path, now) != was)
        static_cast<void>(set_field(gpu, row.path, *was));
    }
    gpu.memory.reserved_bytes = before.memory.reserved_bytes;
    gpu.memory.free_bytes = before.memory.free_bytes;
    if (before.workload.gpu)
      telemetry::load(gpu, before.workload, now, 0);
    else
      telemetry::unload(gpu);
    plan_anew(gpu, now);
    return {};
  }));
}

}  // namespace nvmlkit::recording
