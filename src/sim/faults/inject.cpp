#include "sim/faults/inject.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "sim/events/raise.hpp"
#include "sim/events/ring.hpp"
#include "sim/faults/ecc_counters.hpp"
#include "sim/generated/xids.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::sim::faults {
namespace {

using events::raise;
using model::EventType;

constexpr std::uint32_t kDoubleBitError = 48, kRepaired = 63, kNotRepaired = 64, kContained = 94, kUncontained = 95;
// Links of Blackwell GPUs have firmware of their own (NETIR), which reports their errors.
constexpr std::uint32_t kNvlinkError = 74, kNvlink5Error = 149;

bool remaps_rows(const model::Gpu& gpu) { return has(gpu, Trait::row_remapping); }

// The other end of a link is a switch that the host sees, and whose driver logs errors.
void report_at_switch(model::Gpu& gpu, std::uint32_t link, bool down) {
  constexpr std::uint32_t kShortErrorRate = 20009, kFaultUp = 20034;  // SXids
  const auto& end = gpu.links.links[link % links::kMaxLinks];
  if (end.remote == links::Remote::nvswitch && end.has_bus_id != 0)
    events::log(gpu, events::Message::switch_error, down ? kFaultUp : kShortErrorRate, link);
}

// A GPU that needs a reset still counts as within reach: its handle is given out.
bool out_of_reach(Availability availability) {
  return availability != Availability::available && availability != Availability::reset_required;
}

// How serious an advice is.
std::size_t weight(std::uint32_t action) {
  using model::RecoveryAction;
  constexpr std::uint32_t kByWeight[] = {RecoveryAction::none,      RecoveryAction::recover_imex_domain,
                                         RecoveryAction::drain_p2p, RecoveryAction::drain_and_reset,
                                         RecoveryAction::reset,     RecoveryAction::bus_reset,
                                         RecoveryAction::reboot,    RecoveryAction::system_reboot};
  return static_cast<std::size_t>(std::find(std::begin(kByWeight), std::end(kByWeight), action) - kByWeight);
}

template <class T>
void add(model::Field<T>& counter, std::uint64_t count) {
  if (counter) counter = static_cast<T>(*counter + count);
}

// One bank has a row less. False when every bank is used up.
bool take_spare_row(model::RowRemapHistogram& banks) {
  for (auto* from : {&banks.max, &banks.high, &banks.partial, &banks.low})
    if (*from && **from > 0) {
      auto& to = from == &banks.max       ? banks.high
                 : from == &banks.high    ? banks.partial
                 : from == &banks.partial ? banks.low
                                          : banks.none;
      *from = **from - 1;
      to = to.value_or(0) + 1;
      return true;
    }
  return !banks.max;  // unknown
}

void retire_page(model::Gpu& gpu) {
  auto& pages = gpu.retired_pages.double_bit_retirement;
  const std::uint64_t page = 0x10000 + 0x3000 * static_cast<std::uint64_t>(pages.count.value_or(0));
  if (!pages.addresses.push_back(page)) {
    mark_repair_failed(gpu);
    return;
  }
  pages.count = pages.count.value_or(0) + 1;
  gpu.retired_pages.pending_retirement = true;
  report_xid(gpu, kRepaired);
}

void remap_row(model::Gpu& gpu) {
  if (!take_spare_row(gpu.remapped_rows.availability_histogram)) {
    mark_repair_failed(gpu);
    return;
  }
  add(gpu.remapped_rows.uncorrectable, 1);
  gpu.remapped_rows.pending = true;
  report_xid(gpu, kRepaired);
  raise(gpu, EventType::dram_retirement);
}

void repair(model::Gpu& gpu) {
  if (remaps_rows(gpu))
    remap_row(gpu);
  else
    retire_page(gpu);
}

void tell_of_poison(model::Gpu& gpu) {
  if (!remaps_rows(gpu)) return;
  const bool local = has(gpu, Trait::error_containment);
  report_xid(gpu, local ? kContained : kUncontained);
  raise(gpu, local ? EventType::non_fatal_poison_error : EventType::fatal_poison_error);
  advise(gpu, local ? model::RecoveryAction::drain_and_reset : model::RecoveryAction::reset);
}

}  // namespace

void report_xid(model::Gpu& gpu, std::uint32_t number, std::uint32_t link) {
  auto& faults = gpu.faults;
  faults.last_xid = number;
  if (faults.identified_in_log == 0) {
    events::log(gpu, events::Message::gpu_uuid);
    if (gpu.serial) events::log(gpu, events::Message::board_serial);
    faults.identified_in_log = 1;
  }
  raise(gpu, EventType::xid_critical_error, number, events::kNoInstance, events::kNoInstance, link);
}

void raise_xid(model::Gpu& gpu, std::uint32_t number) {
  const auto* xid = find_xid(number);
  const auto effect = xid ? xid->effect : XidEffect::none;
  const bool counts = gpu.ecc.mode_current && *gpu.ecc.mode_current == model::EnableState::enabled;
  if (effect == XidEffect::double_bit && counts) {
    add_ecc_errors(gpu, EccPlace::dram, false, 1);
    return;
  }
  report_xid(gpu, number);
  switch (effect) {
    case XidEffect::lost:
      set_availability(gpu, Availability::lost, number);
      break;
    case XidEffect::reset:
      advise(gpu, model::RecoveryAction::reset);
      break;
    case XidEffect::unresponsive:
      set_availability(gpu, Availability::reset_required);
      break;
    case XidEffect::remap_pending:
      mark_repair_pending(gpu);
      break;
    case XidEffect::remap_failed:
      if (remaps_rows(gpu)) gpu.remapped_rows.failure_occurred = true;
      advise(gpu, model::RecoveryAction::reset);
      break;
    case XidEffect::nvlink:
      gpu.faults.nvlinks_erring |= 1;
      report_at_switch(gpu, 0, false);
      break;
    default:
      break;
  }
}

void break_nvlinks(model::Gpu& gpu, std::uint64_t which, bool down) {
  (down ? gpu.faults.nvlinks_down : gpu.faults.nvlinks_erring) |= which;
  const auto link = which == 0 ? 0 : static_cast<std::uint32_t>(std::countr_zero(which));  // the Xid names the lowest
  report_xid(gpu, has(gpu, Trait::nvlink_firmware) ? kNvlink5Error : kNvlinkError, link);
  report_at_switch(gpu, link, down);
}

Expected<void> add_ecc_errors(model::Gpu& gpu, EccPlace place, bool corrected, std::uint64_t count) {
  if (!gpu.ecc.mode_current) return fail(impossible("the GPU has no ECC"));
  if (*gpu.ecc.mode_current != model::EnableState::enabled) return fail(impossible("its ECC is off"));
  auto& errors = gpu.ecc.errors;
  if (!counts_errors(errors.volatile_, place, corrected)) return fail(impossible("the GPU does not count such errors"));
  count_errors(errors.volatile_, gpu.ecc.sram.volatile_, place, corrected, count);
  count_errors(errors.aggregate, gpu.ecc.sram.aggregate, place, corrected, count);
  if (corrected) {
    raise(gpu, EventType::single_bit_ecc_error);
    return {};
  }
  if (place != EccPlace::dram) count_source(gpu.ecc.sram.uncorrectable_sources, place, count);
  raise(gpu, EventType::double_bit_ecc_error);
  report_xid(gpu, kDoubleBitError);
  if (place == EccPlace::dram) repair(gpu);
  tell_of_poison(gpu);
  return {};
}

void set_availability(model::Gpu& gpu, Availability availability, std::uint32_t xid) {
  if (availability != Availability::available) raise(gpu, EventType::gpu_unavailable_error);
  if (out_of_reach(availability) && !out_of_reach(gpu.faults.availability)) raise(gpu, events::kLossOfGpu, xid);
  const bool lost = availability == Availability::lost || availability == Availability::off_bus;
  if (lost && !out_of_reach(gpu.faults.availability)) {
    events::log(gpu, events::Message::fallen_off);
    if (gpu.serial) events::log(gpu, events::Message::fallen_off_serial);
  }
  gpu.faults.availability = availability;
  if (availability == Availability::available) forget_advice(gpu);
  if (availability == Availability::reset_required) advise(gpu, model::RecoveryAction::reset);
  if (lost) advise(gpu, model::RecoveryAction::reboot);
}

void advise(model::Gpu& gpu, std::uint32_t recovery_action) {
  auto& status = gpu.reset_status;
  if (weight(recovery_action) <= weight(status.recovery_action.value_or(model::RecoveryAction::none))) return;
  const auto so_far = status.recovery_action.value_or(model::RecoveryAction::none);
  status.recovery_action = recovery_action;
  if (recovery_action == model::RecoveryAction::reset) status.required = true;
  if (recovery_action == model::RecoveryAction::drain_and_reset) status.drain_and_reset_recommended = true;
  raise(gpu, EventType::gpu_recovery_action, recovery_action);
  events::log(gpu, events::Message::recovery_action, so_far, recovery_action);
}

void forget_advice(model::Gpu& gpu) {
  auto& status = gpu.reset_status;
  if (status.required) status.required = false;
  if (status.drain_and_reset_recommended) status.drain_and_reset_recommended = false;
  if (status.recovery_action) status.recovery_action = model::RecoveryAction::none;
}

void settle_banks(model::Gpu& gpu) {
  auto& banks = gpu.bank_remapper;
  if (!banks.active || !banks.pending.value_or(false)) return;
  banks.active = *banks.active + banks.inactive.value_or(0);
  banks.inactive = 0U;
  banks.pending = false;
}

void mark_repair_pending(model::Gpu& gpu) {
  if (remaps_rows(gpu))
    gpu.remapped_rows.pending = true;
  else
    gpu.retired_pages.pending_retirement = true;
}

void mark_repair_failed(model::Gpu& gpu) {
  if (remaps_rows(gpu)) gpu.remapped_rows.failure_occurred = true;
  report_xid(gpu, kNotRepaired);
  raise(gpu, EventType::dram_retirement_failure);
  advise(gpu, model::RecoveryAction::reset);
}

void set_slowdown(model::Gpu& gpu, Slowdown slowdown, bool active) {
  auto& faults = gpu.faults;
  auto& reasons = gpu.clocks_throttle_reasons;
  const std::uint32_t flag = active ? 1 : 0;
  switch (slowdown) {
    case Slowdown::sw_thermal:
      faults.sw_thermal_slowdown = flag;
      reasons.sw_thermal_slowdown = active;
      break;
    case Slowdown::hw_thermal:
      faults.hw_thermal_slowdown = flag;
      reasons.hw_thermal_slowdown = active;
      break;
    case Slowdown::hw_power_brake:
      faults.hw_power_brake = flag;
      reasons.hw_power_brake_slowdown = active;
      break;
  }
  reasons.hw_slowdown = faults.hw_thermal_slowdown != 0 || faults.hw_power_brake != 0;
  raise(gpu, EventType::clock);
}

void forget_at_reset(model::Gpu& gpu) {
  auto& faults = gpu.faults;
  if (faults.availability == Availability::reset_required) faults.availability = Availability::available;
  faults.last_xid = 0;
  faults.identified_in_log = 0;
  faults.nvlinks_erring = 0;
  forget_advice(gpu);
}

}  // namespace nvmlkit::sim::faults
