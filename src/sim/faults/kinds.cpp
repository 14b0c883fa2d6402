#include "sim/faults/kinds.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "nvmlkit/generated/abi.hpp"
#include "sim/config/suggest.hpp"
#include "sim/events/raise.hpp"
#include "sim/faults/inject.hpp"
#include "sim/generated/xids.hpp"
#include "sim/links/links.hpp"

namespace nvmlkit::sim::faults {
namespace {

using config::quote;
using model::Gpu;
using Active = std::vector<std::string>;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class Table>
std::string unknown(const char* what, std::string_view word, const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& entry : table) names.push_back(entry.name);
  return std::string("unknown ") + what + " " + quote(word) + config::hint(word, names);
}

template <class Table>
auto find(const Table& table, std::string_view name) {
  const auto found = std::find_if(std::begin(table), std::end(table), [&](const auto& e) { return e.name == name; });
  return found == std::end(table) ? nullptr : &*found;
}

std::string no_more(Words arguments, std::size_t count) {
  return arguments.size() > count ? "unexpected " + quote(arguments[count]) : std::string();
}

// xid

std::string xid(Gpu& gpu, Words arguments) {
  const bool force = arguments.size() > 1 && arguments[1] == "--force";
  if (arguments.empty()) return "expected the number of an Xid, such as 79";
  if (auto problem = no_more(arguments, force ? 2 : 1); !problem.empty()) return problem;
  const auto wanted = number(arguments[0]);
  if (!wanted || *wanted == 0 || *wanted > 0xFFFFFFFF)
    return "expected the number of an Xid, such as 79, got " + quote(arguments[0]);
  const bool known = std::any_of(std::begin(xids), std::end(xids), [&](const Xid& x) { return x.number == *wanted; });
  if (!known && !force) return "no driver raises Xid " + arguments[0] + "; --force raises it all the same";
  raise_xid(gpu, static_cast<std::uint32_t>(*wanted));
  return {};
}

Active active_xid(const Gpu& gpu) {
  if (gpu.faults.last_xid == 0) return {};
  return {std::to_string(gpu.faults.last_xid)};
}

// Out of reach

template <Availability availability>
std::string unavailable(Gpu& gpu, Words arguments) {
  if (auto problem = no_more(arguments, 0); !problem.empty()) return problem;
  set_availability(gpu, availability);
  return {};
}

template <Availability availability>
void available(Gpu& gpu) {
  if (gpu.faults.availability == availability) gpu.faults.availability = Availability::available;
}

template <Availability availability>
Active is_unavailable(const Gpu& gpu) {
  return gpu.faults.availability == availability ? Active{""} : Active{};
}

// ecc

struct NamedPlace {
  std::string_view name;
  EccPlace place;
};
constexpr NamedPlace places[] = {{"dram", EccPlace::dram},
                                 {"sram", EccPlace::sram},
                                 {"l1", EccPlace::l1_cache},
                                 {"l2", EccPlace::l2_cache},
                                 {"register-file", EccPlace::register_file},
                                 {"texture", EccPlace::texture_memory},
                                 {"shared", EccPlace::shared_memory},
                                 {"cbu", EccPlace::cbu}};

std::string ecc(Gpu& gpu, Words arguments) {
  if (arguments.size() < 2) return "expected a place and corrected or uncorrected, such as dram uncorrected";
  const auto* place = find(places, arguments[0]);
  if (!place) return unknown("place", arguments[0], places);
  if (arguments[1] != "corrected" && arguments[1] != "uncorrected")
    return "expected corrected or uncorrected, got " + quote(arguments[1]);
  std::uint64_t count = 1;
  if (arguments.size() > 2) {
    const auto wanted = arguments[2] == "--count" && arguments.size() > 3 ? number(arguments[3]) : std::nullopt;
    if (!wanted || *wanted == 0 || *wanted > 0xFFFFFFFF) return "expected --count N, N from 1 to 4294967295";
    if (auto problem = no_more(arguments, 4); !problem.empty()) return problem;
    count = *wanted;
  }
  return add_ecc_errors(gpu, place->place, arguments[1] == "corrected", count);
}

// remap

std::string remap(Gpu& gpu, Words arguments) {
  if (arguments.size() != 1 || (arguments[0] != "pending" && arguments[0] != "failed"))
    return "expected pending or failed";
  if (arguments[0] == "pending")
    mark_repair_pending(gpu);
  else
    mark_repair_failed(gpu);
  return {};
}

void heal_remap(Gpu& gpu) {
  gpu.remapped_rows.pending = gpu.remapped_rows.failure_occurred = false;
  gpu.retired_pages.pending_retirement = false;
  gpu.reset_status.required = false;
}

Active active_remap(const Gpu& gpu) {
  Active out;
  if (gpu.remapped_rows.pending.value_or(false) || gpu.retired_pages.pending_retirement.value_or(false))
    out.emplace_back("pending");
  if (gpu.remapped_rows.failure_occurred.value_or(false)) out.emplace_back("failed");
  return out;
}

// nvlink and fans: a bit each

template <class Bits>
std::string set_bits(Bits& bits, const std::string& which, std::uint64_t count, const char* what) {
  if (which == "all") {
    bits = static_cast<Bits>(count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1);
    return {};
  }
  const auto wanted = number(which);
  if (!wanted || *wanted >= count)
    return std::string("expected ") + what + " 0 to " + std::to_string(count - 1) + " or all, got " + quote(which);
  bits = static_cast<Bits>(bits | std::uint64_t{1} << *wanted);
  return {};
}

Active bits_as_words(std::uint64_t bits, const char* behind) {
  Active out;
  for (int i = 0; i < 64; ++i)
    if (bits >> i & 1) out.push_back(std::to_string(i) + behind);
  return out;
}

std::string nvlink(Gpu& gpu, Words arguments) {
  if (arguments.size() != 2 || (arguments[1] != "down" && arguments[1] != "errors"))
    return "expected a link or all, and down or errors";
  if (links::count(gpu) == 0) return "the GPU has no NVLink";
  std::uint64_t which = 0;
  auto problem = set_bits(which, arguments[0], links::count(gpu), "link");
  if (problem.empty()) break_nvlinks(gpu, which, arguments[1] == "down");
  return problem;
}

void heal_nvlink(Gpu& gpu) { gpu.faults.nvlinks_down = gpu.faults.nvlinks_erring = 0; }

Active active_nvlink(const Gpu& gpu) {
  auto out = bits_as_words(gpu.faults.nvlinks_down, " down");
  for (auto& word : bits_as_words(gpu.faults.nvlinks_erring, " errors")) out.push_back(std::move(word));
  return out;
}

std::string fan(Gpu& gpu, Words arguments) {
  const auto count = std::min<std::uint64_t>(gpu.fan.count.value_or(0), 32);
  if (count == 0) return "the GPU has no fan";
  if (arguments.size() != 1) return "expected the number of a fan, or all";
  return set_bits(gpu.faults.fans_failed, arguments[0], count, "fan");
}

void heal_fan(Gpu& gpu) { gpu.faults.fans_failed = 0; }
Active active_fan(const Gpu& gpu) { return bits_as_words(gpu.faults.fans_failed, ""); }

// inforom

std::string inforom(Gpu& gpu, Words arguments) {
  if (auto problem = no_more(arguments, 0); !problem.empty()) return problem;
  gpu.faults.inforom_corrupted = 1;
  return {};
}

void heal_inforom(Gpu& gpu) { gpu.faults.inforom_corrupted = 0; }
Active active_inforom(const Gpu& gpu) { return gpu.faults.inforom_corrupted ? Active{""} : Active{}; }

// thermal and power-brake

std::string thermal(Gpu& gpu, Words arguments) {
  const std::string how = arguments.empty() ? "hw" : arguments[0];
  if (how != "hw" && how != "sw") return "expected hw or sw, got " + quote(how);
  if (auto problem = no_more(arguments, 1); !problem.empty()) return problem;
  set_slowdown(gpu, how == "hw" ? Slowdown::hw_thermal : Slowdown::sw_thermal, true);
  return {};
}

void heal_thermal(Gpu& gpu) {
  if (gpu.faults.hw_thermal_slowdown) set_slowdown(gpu, Slowdown::hw_thermal, false);
  if (gpu.faults.sw_thermal_slowdown) set_slowdown(gpu, Slowdown::sw_thermal, false);
}

Active active_thermal(const Gpu& gpu) {
  Active out;
  if (gpu.faults.hw_thermal_slowdown) out.emplace_back("hw");
  if (gpu.faults.sw_thermal_slowdown) out.emplace_back("sw");
  return out;
}

std::string power_brake(Gpu& gpu, Words arguments) {
  if (auto problem = no_more(arguments, 0); !problem.empty()) return problem;
  set_slowdown(gpu, Slowdown::hw_power_brake, true);
  return {};
}

void heal_power_brake(Gpu& gpu) {
  if (gpu.faults.hw_power_brake) set_slowdown(gpu, Slowdown::hw_power_brake, false);
}

Active active_power_brake(const Gpu& gpu) { return gpu.faults.hw_power_brake ? Active{""} : Active{}; }

// fabric

struct FabricFault {
  std::string_view name;
  model::Field<bool> model::FabricHealth::*flag;
};
constexpr FabricFault fabric_faults[] = {{"degraded-bandwidth", &model::FabricHealth::degraded_bandwidth},
                                         {"route-recovery", &model::FabricHealth::route_recovery},
                                         {"route-unhealthy", &model::FabricHealth::route_unhealthy},
                                         {"access-timeout", &model::FabricHealth::access_timeout_recovery}};

// The summary follows the details, except where the GPU reports none.
void summarize(model::Fabric& fabric) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < std::size(fabric_faults); ++i)
    bits |= static_cast<std::uint32_t>((fabric.health.*fabric_faults[i].flag).value_or(false)) << i;
  if (fabric.health_summary)
    fabric.health_summary = static_cast<std::uint32_t>(bits == 0   ? abi::GPU_FABRIC_HEALTH_SUMMARY_HEALTHY
                                                       : bits == 1 ? abi::GPU_FABRIC_HEALTH_SUMMARY_LIMITED_CAPACITY
                                                                   : abi::GPU_FABRIC_HEALTH_SUMMARY_UNHEALTHY);
}

std::string fabric(Gpu& gpu, Words arguments) {
  if (!gpu.fabric.state) return "the GPU is in no fabric";
  if (arguments.size() != 1)
    return "expected one of degraded-bandwidth, route-recovery, route-unhealthy, access-timeout";
  const auto* fault = find(fabric_faults, arguments[0]);
  if (!fault) return unknown("fabric fault", arguments[0], fabric_faults);
  gpu.fabric.health_mask.reset();
  gpu.fabric.health.*fault->flag = true;
  gpu.faults.fabric_health |= 1U << (fault - fabric_faults);
  summarize(gpu.fabric);
  return {};
}

void heal_fabric(Gpu& gpu) {
  for (std::size_t i = 0; i < std::size(fabric_faults); ++i)
    if (gpu.faults.fabric_health >> i & 1) gpu.fabric.health.*fabric_faults[i].flag = false;
  if (gpu.faults.fabric_health != 0) summarize(gpu.fabric);
  gpu.faults.fabric_health = 0;
}

Active active_fabric(const Gpu& gpu) {
  Active out;
  for (std::size_t i = 0; i < std::size(fabric_faults); ++i)
    if (gpu.faults.fabric_health >> i & 1) out.emplace_back(fabric_faults[i].name);
  return out;
}

// Events by themselves, for those that nothing else in the simulation raises

struct NamedEvent {
  std::string_view name;
  long long type;
};
constexpr NamedEvent named_events[] = {{"clock", abi::EventTypeClock},
                                       {"pstate", abi::EventTypePState},
                                       {"power-source", abi::EventTypePowerSourceChange},
                                       {"mig-config", abi::EventMigConfigChange},
                                       {"single-bit-storm", abi::EventTypeSingleBitEccErrorStorm},
                                       {"dram-retirement", abi::EventTypeDramRetirementEvent},
                                       {"dram-retirement-failure", abi::EventTypeDramRetirementFailure},
                                       {"poison", abi::EventTypeNonFatalPoisonError},
                                       {"fatal-poison", abi::EventTypeFatalPoisonError},
                                       {"unavailable", abi::EventTypeGpuUnavailableError},
                                       {"recovery-action", abi::EventTypeGpuRecoveryAction}};

std::string event(Gpu& gpu, Words arguments) {
  if (arguments.empty()) return "expected an event, such as clock";
  const auto* wanted = find(named_events, arguments[0]);
  if (!wanted) return unknown("event", arguments[0], named_events);
  std::uint64_t data = 0;
  if (arguments.size() > 1) {
    const auto given = number(arguments[1]);
    if (!given) return "expected the event's data as a number, got " + quote(arguments[1]);
    data = *given;
  }
  if (auto problem = no_more(arguments, 2); !problem.empty()) return problem;
  events::raise(gpu, static_cast<std::uint64_t>(wanted->type), data);
  return {};
}

Active nothing(const Gpu&) { return {}; }

void forget_xid(Gpu& gpu) { gpu.faults.last_xid = 0; }

constexpr Kind all_kinds[] = {
    {"xid", "NUMBER [--force]", xid, forget_xid, active_xid},
    {"lost", "", unavailable<Availability::lost>, available<Availability::lost>, is_unavailable<Availability::lost>},
    {"reset-required", "", unavailable<Availability::reset_required>, available<Availability::reset_required>,
     is_unavailable<Availability::reset_required>},
    {"off-bus", "", unavailable<Availability::off_bus>, available<Availability::off_bus>,
     is_unavailable<Availability::off_bus>},
    {"removed", "", unavailable<Availability::removed>, available<Availability::removed>,
     is_unavailable<Availability::removed>},
    {"ecc", "PLACE corrected|uncorrected [--count N]", ecc, nullptr, nothing},
    {"remap", "pending|failed", remap, heal_remap, active_remap},
    {"nvlink", "LINK|all down|errors", nvlink, heal_nvlink, active_nvlink},
    {"fan", "FAN|all", fan, heal_fan, active_fan},
    {"inforom", "", inforom, heal_inforom, active_inforom},
    {"thermal", "[hw|sw]", thermal, heal_thermal, active_thermal},
    {"power-brake", "", power_brake, heal_power_brake, active_power_brake},
    {"fabric", "degraded-bandwidth|route-recovery|route-unhealthy|access-timeout", fabric, heal_fabric, active_fabric},
    {"event", "NAME [DATA]", event, nullptr, nothing},
};

}  // namespace

std::span<const Kind> kinds() { return all_kinds; }

const Kind* find_kind(std::string_view name) { return find(all_kinds, name); }

}  // namespace nvmlkit::sim::faults
