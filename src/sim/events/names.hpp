// Events by name, as `nvmlkit fault gpu=0 event NAME` and reports have them.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/generated/model.hpp"

namespace nvmlkit::sim::events {

struct Named {
  std::string_view name;
  std::uint64_t type;
};

// Those that can be raised by themselves.
inline constexpr Named kPlainEvents[] = {{"clock", model::EventType::clock},
                                         {"pstate", model::EventType::pstate},
                                         {"power-source", model::EventType::power_source_change},
                                         {"mig-config", model::EventType::mig_config_change},
                                         {"single-bit-storm", model::EventType::single_bit_ecc_error_storm},
                                         {"dram-retirement", model::EventType::dram_retirement},
                                         {"dram-retirement-failure", model::EventType::dram_retirement_failure},
                                         {"poison", model::EventType::non_fatal_poison_error},
                                         {"fatal-poison", model::EventType::fatal_poison_error},
                                         {"unavailable", model::EventType::gpu_unavailable_error},
                                         {"recovery-action", model::EventType::gpu_recovery_action}};

// Those that a fault of another kind raises.
inline constexpr Named kErrorEvents[] = {{"single-bit-ecc", model::EventType::single_bit_ecc_error},
                                         {"double-bit-ecc", model::EventType::double_bit_ecc_error},
                                         {"xid", model::EventType::xid_critical_error}};

// Empty for what is no event of NVML.
constexpr std::string_view name_of(std::uint64_t type) {
  for (const auto& each : kPlainEvents)
    if (each.type == type) return each.name;
  for (const auto& each : kErrorEvents)
    if (each.type == type) return each.name;
  return {};
}

}  // namespace nvmlkit::sim::events
