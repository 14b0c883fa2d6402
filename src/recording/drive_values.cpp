// Values of a frame in the copy of a GPU.
#include <algorithm>
#include <cmath>

#include "recording/drive.hpp"
#include "sim/config/check.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/telemetry/pins.hpp"

namespace nvmlkit::recording {

using namespace sim;

namespace {

// Half of what a check allows, so that a value that is left to the physics has room to move.
constexpr double kFits = 0.005;
constexpr std::int64_t kAverageNs = 2'000'000'000;

constexpr Quantity kLoads[] = {Quantity::gpu_load,     Quantity::memory_load, Quantity::encoder_load,
                               Quantity::decoder_load, Quantity::jpeg_load,   Quantity::ofa_load};
constexpr model::Field<std::uint32_t> model::Workload::*kShares[] = {
    &model::Workload::gpu,     &model::Workload::memory, &model::Workload::encoder,
    &model::Workload::decoder, &model::Workload::jpeg,   &model::Workload::ofa};

std::size_t load_index(Quantity quantity) {
  return static_cast<std::size_t>(std::find(std::begin(kLoads), std::end(kLoads), quantity) - std::begin(kLoads));
}

bool near(double shown, double wanted) {
  return std::fabs(shown - std::round(wanted)) <= kFits * std::fabs(wanted) + 1e-9;
}

Problem not_there() { return {.kind = ProblemKind::impossible, .what = "the GPUs of this machine do not have it"}; }

std::int64_t ns_between(std::int64_t from_ms, std::int64_t to_ms) { return (to_ms - from_ms) * 1'000'000; }

// What the driver itself keeps in step, see steering::set().
void settle_with(Gpu& gpu, Quantity quantity) {
  auto& power = gpu.power;
  if (quantity == Quantity::power_limit)
    power.enforced_limit_mw = std::min(*power.limit_mw, power.other_limit_mw.value_or(*power.limit_mw));
  auto& memory = gpu.memory;
  if (quantity != Quantity::memory_used && quantity != Quantity::memory_reserved) return;
  const auto taken = memory.reserved_bytes.value_or(0) + memory.used_bytes.value_or(0);
  const auto total = memory.total_bytes.value_or(0);
  memory.free_bytes = total > taken ? total - taken : 0;
}

// The place in DRAM of an ECC total.
std::string dram_path(std::string_view total) {
  constexpr std::string_view kTotal = "total";
  return std::string(total.substr(0, total.size() - kTotal.size())) + "device_memory";
}

}  // namespace

// The free memory follows from the used one. If both are recorded, the rest is what the driver reserves: it differs
// between branches. A rest that is too large is that of a GPU with another size, and a check shows the difference.
void Drive::apply_free_memory(Gpu& gpu, std::size_t place, const Value& value) {
  constexpr std::uint64_t kLargestShare = 8;
  const auto driven = [&](Quantity quantity) { return driven_[place].held[static_cast<std::size_t>(quantity)].driven; };
  auto& memory = gpu.memory;
  const auto total = memory.total_bytes.value_or(0);
  const auto taken = memory.used_bytes.value_or(0) + static_cast<std::uint64_t>(std::max(value.value, 0.0));
  if (driven(Quantity::memory_used) && !driven(Quantity::memory_reserved) && memory.reserved_bytes && taken <= total &&
      total - taken <= total / kLargestShare) {
    memory.reserved_bytes = total - taken;
    settle_with(gpu, Quantity::memory_reserved);
  }
  account(place, value, false);
}

void Drive::apply_setting(Gpu& gpu, std::size_t place, const Value& value) {
  if (value.quantity == Quantity::memory_free) return apply_free_memory(gpu, place, value);
  const auto& row = row_of(value.quantity);
  const auto now = shown_at(machine_, gpu, row.path, 0);
  if (!now) return refuse(value.quantity, not_there());
  if (*now == value.value) return account(place, value, false);
  const auto kept = std::make_unique<Gpu>(gpu);
  auto done = set_field(gpu, row.path, value.value);
  if (done && row.way == Way::total) {
    const auto dram = dram_path(row.path);
    const auto there = shown_at(machine_, gpu, dram, 0);
    if (there) done = set_field(gpu, dram, std::max(0.0, *there + value.value - *now));
  }
  settle_with(gpu, value.quantity);
  if (done) done = config::check_values(gpu);
  if (done) return account(place, value, false);
  gpu = *kept;
  refuse(value.quantity, done.error());
}

// Utilization is a workload, from which clocks, power and heat follow.
void Drive::apply_loads(Gpu& gpu, std::size_t place, Values values, std::int64_t now_ns) {
  auto& loads = driven_[place].loads;
  bool any = false;
  for (const auto& value : values) {
    if (row_of(value.quantity).way != Way::load) continue;
    any = true;
    loads[load_index(value.quantity)] = value.value;
  }
  if (!any) return;
  model::Workload workload;
  bool busy = false;
  for (std::size_t i = 0; i < std::size(kLoads); ++i) {
    if (!loads[i]) continue;
    workload.*kShares[i] = static_cast<std::uint32_t>(std::clamp(std::round(*loads[i]), 0.0, 100.0));
    busy |= *(workload.*kShares[i]) != 0;
  }
  if (!workload.gpu) workload.gpu = 0U;
  if (busy)
    telemetry::load(gpu, workload, now_ns, 0);
  else
    telemetry::unload(gpu);
}

bool Drive::fits(const Gpu& gpu, const Value& value, std::int64_t now_ns) const {
  const auto& path = row_of(value.quantity).path;
  const auto now = shown_at(machine_, gpu, path, now_ns);
  if (!now || !near(*now, value.value)) return false;
  if (row_of(value.quantity).way == Way::load) return true;
  // Of the last value, it is enough that it stays for a while: power is an average of the last second.
  const auto& next = value.next == kNoNext ? value : timeline_.values()[value.next];
  const auto after_ns = value.next == kNoNext ? kAverageNs : ns_between(value.at_ms, next.at_ms);
  const auto then = shown_at(machine_, gpu, path, now_ns + after_ns);
  return then && near(*then, next.value);
}

void Drive::pin(Gpu& gpu, const Value& value, std::int64_t now_ns) {
  const auto& path = row_of(value.quantity).path;
  if (!pin_field(gpu, path, value.value)) return;
  plan_anew(gpu, now_ns);
  // The heat that a pin brings stays without it: from here the physics may go on by itself.
  if (value.quantity != Quantity::gpu_temperature) return;
  telemetry::release(gpu, path);
  plan_anew(gpu, now_ns);
  if (fits(gpu, value, now_ns)) return;
  static_cast<void>(pin_field(gpu, path, value.value));
  plan_anew(gpu, now_ns);
}

void Drive::apply_live(Gpu& gpu, std::size_t place, Values values, std::int64_t now_ns) {
  const auto is_live = [](const Value& value) {
    const auto way = row_of(value.quantity).way;
    return way == Way::live || way == Way::load;
  };
  const auto path_of = [](const Value& value) { return row_of(value.quantity).path; };
  std::vector<const Value*> wanted;
  for (const auto& value : values) {
    if (!is_live(value)) continue;
    if (!shown_at(machine_, gpu, path_of(value), now_ns)) {
      refuse(value.quantity, not_there());
      continue;
    }
    telemetry::release(gpu, path_of(value));
    wanted.push_back(&value);
  }
  const auto* reasons = std::find_if(values.data(), values.data() + values.size(),
                                     [](const Value& each) { return each.quantity == Quantity::event_reasons; });
  const bool has_reasons = reasons != values.data() + values.size();
  if (has_reasons)
    for (const auto& reason : reason_bits()) telemetry::release(gpu, reason.path);
  plan_anew(gpu, now_ns);
  for (const auto* value : wanted)
    if (!fits(gpu, *value, now_ns)) pin(gpu, *value, now_ns);
  // A pin changes what follows from it, so all are looked at once more.
  for (const auto* value : wanted) {
    const auto shown = shown_at(machine_, gpu, path_of(*value), now_ns);
    if (!shown || !near(*shown, value->value))
      if (pin_field(gpu, path_of(*value), value->value)) plan_anew(gpu, now_ns);
    account(place, *value, is_pinned_field(gpu, path_of(*value)));
  }
  if (!has_reasons) return;
  bool pinned = false;
  const auto bits = static_cast<std::uint64_t>(std::clamp(reasons->value, 0.0, 1e9));
  for (const auto& reason : reason_bits()) {
    const auto active = (bits & reason.bit) != 0 ? 1.0 : 0.0;
    const auto shown = shown_at(machine_, gpu, reason.path, now_ns);
    if (!shown || *shown == active) continue;
    pinned |= static_cast<bool>(pin_field(gpu, reason.path, active));
  }
  plan_anew(gpu, now_ns);
  account(place, *reasons, pinned);
}

void Drive::apply_counter(Gpu& gpu, std::size_t place, const Value& value, std::int64_t now_ns) {
  const auto& path = row_of(value.quantity).path;
  if (!shown_at(machine_, gpu, path, now_ns)) return refuse(value.quantity, not_there());
  telemetry::release(gpu, path);
  const bool counts = count_from(machine_, gpu, path, value.value, now_ns);
  if (!counts)
    if (auto done = pin_field(gpu, path, value.value); !done) return refuse(value.quantity, done.error());
  account(place, value, !counts);
}

void Drive::end_series(Gpu& gpu, const End& end) {
  const auto& row = row_of(end.quantity);
  stop_clock(end.place, end.quantity, end.at_ms);
  if (row.way == Way::live || row.way == Way::load || row.way == Way::counter) telemetry::release(gpu, row.path);
  if (row.way == Way::reasons)
    for (const auto& reason : reason_bits()) telemetry::release(gpu, reason.path);
  if (row.way != Way::load) return;
  auto& loads = driven_[end.place].loads;
  loads[load_index(end.quantity)].reset();
  if (end.quantity != Quantity::gpu_load) return;
  loads = {};
  telemetry::unload(gpu);
}

}  // namespace nvmlkit::recording
