// The PCI function, its link, and the state of the GPU while it works: fan, P-state, clocks event reasons.
#include "smi/log/row.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::ClocksEventReason;
using nvml::Device;
using nvml::FieldId;
using nvml::PciInfo;
using nvml::PciInfoExt;

enum class Prefix { none, hexadecimal };

template <auto method, auto member, Prefix prefix, unsigned digits>
std::string hex(const Gpu& gpu) {
  return shown_as<method, member>(gpu, [](unsigned number) {
    return fmt::format("{}{:0{}X}", prefix == Prefix::none ? "" : "0x", number, digits);
  });
}

template <unsigned PciInfo::*member, unsigned digits>
constexpr Read kPlain = hex<&Gpu::pci, member, Prefix::none, digits>;
template <unsigned PciInfo::*member, unsigned digits>
constexpr Read kPrefixed = hex<&Gpu::pci, member, Prefix::hexadecimal, digits>;
template <unsigned PciInfoExt::*member>
constexpr Read kClass = hex<&Gpu::pci_ext, member, Prefix::none, 1>;
template <unsigned PciInfoExt::*member>
constexpr Read kPrefixedClass = hex<&Gpu::pci_ext, member, Prefix::hexadecimal, 1>;

std::string host_max(const Gpu& gpu) {
  const auto generation = gpu.private_table().host_max_link_generation(gpu.device());
  return generation ? std::to_string(*generation) : gpu.failure(generation.error());
}

template <auto method>
std::string lanes(const Gpu& gpu) {
  return shown_as<method>(gpu, [](unsigned width) { return fmt::format("{}x", width); });
}

std::string bridge_type(const Gpu& gpu) {
  const auto chips = gpu->bridge_chip_info();
  if (!chips) return gpu.failure(chips.error());
  if (chips->chips.empty()) return "N/A";
  return chips->chips.front().type == nvml::BridgeChipType::plx ? "PLX" : "BRO4";
}

std::string bridge_firmware(const Gpu& gpu) {
  const auto chips = gpu->bridge_chip_info();
  if (!chips) return gpu.failure(chips.error());
  return chips->chips.empty() ? "N/A" : fmt::format("{:#x}", chips->chips.front().fw_version);
}

std::string rollovers(const Gpu& gpu) {
  const auto answer = number_of(gpu.field(FieldId::dev_pcie_replay_rollover_counter));
  return answer ? std::to_string(*answer) : gpu.failure(answer.error());
}

template <nvml::PcieCounter counter>
std::string throughput(const Gpu& gpu) {
  const auto rate = gpu->pcie_throughput(counter);
  return rate ? text_of(gpu, *rate) : gpu.failure(rate.error());
}

template <unsigned AtomicCapabilities::*member>
std::string atomics(const Gpu& gpu) {
  constexpr const char* kNames[] = {"FETCHADD_32", "FETCHADD_64", "SWAP_32", "SWAP_64", "CAS_32", "CAS_64", "CAS_128"};
  return shown_as<&Gpu::atomics, member>(gpu, [&](unsigned bits) {
    std::string text;
    for (unsigned i = 0; i < std::size(kNames); ++i)
      if ((bits >> i & 1) != 0) text += std::string(kNames[i]) + ' ';
    return text.empty() ? "N/A" : text;
  });
}

// A GPU without fans refuses the first one.
std::string fan_speed(const Gpu& gpu) {
  const auto speed = gpu->fan_speed();
  if (!speed && speed.error() == nvml::Errc::invalid_argument) return "N/A";
  return speed ? text_of(gpu, *speed) : gpu.failure(speed.error());
}

template <ClocksEventReason reason>
std::string active(const Gpu& gpu) {
  return shown_as<&Gpu::reasons>(gpu, [](nvml::ClocksEventReasons reasons) {
    return std::string(reasons.contains(reason) ? "Active" : "Not Active");
  });
}

template <FieldId id>
std::string event_time(const Gpu& gpu) {
  const auto nanoseconds = number_of(gpu.field(id));
  return nanoseconds ? fmt::format("{} us", *nanoseconds / 1000) : gpu.failure(nanoseconds.error());
}

// Only Hopper has the mode: all its captures show it, those of other chips do not. It is off where the table that holds
// it is not known.
std::string sparse(const Gpu& gpu) {
  const auto mode = gpu.private_table().sparse_operation_mode(gpu.device());
  if (mode) return text_of(gpu, *mode != 0);
  const bool unknown = mode.error() == nvml::Errc::function_not_found;
  const auto& chip = gpu.architecture();
  return unknown && chip && *chip == nvml::Architecture::hopper ? "Disabled" : gpu.failure(mode.error());
}

constexpr Versions kInboundFirst = before(560), kOutboundFirst = from(560);
constexpr Sections kPerformance = Section::kLog | Section::kPerformance;

// clang-format off
constexpr Row kPciRows[] = {
    {1, "PCI", "pci"},
    {2, "Bus", "", kPrefixed<&PciInfo::bus, 2>},
    {2, "", "pci_bus", kPlain<&PciInfo::bus, 2>},
    {2, "Device", "", kPrefixed<&PciInfo::device, 2>},
    {2, "", "pci_device", kPlain<&PciInfo::device, 2>},
    {2, "Domain", "", kPrefixed<&PciInfo::domain, 4>},
    {2, "", "pci_domain", kPlain<&PciInfo::domain, 4>},
    {2, "Base Classcode", "", kPrefixedClass<&PciInfoExt::base_class>, from(550)},
    {2, "", "pci_base_class", kClass<&PciInfoExt::base_class>, from(550)},
    {2, "Sub Classcode", "", kPrefixedClass<&PciInfoExt::sub_class>, from(550)},
    {2, "", "pci_sub_class", kClass<&PciInfoExt::sub_class>, from(550)},
    {2, "Device Id", "", kPrefixed<&PciInfo::pci_device_id, 8>},
    {2, "", "pci_device_id", kPlain<&PciInfo::pci_device_id, 8>},
    {2, "Bus Id", "pci_bus_id", show<&Gpu::pci, &PciInfo::bus_id>},
    {2, "Sub System Id", "", kPrefixed<&PciInfo::pci_sub_system_id, 8>},
    {2, "", "pci_sub_system_id", kPlain<&PciInfo::pci_sub_system_id, 8>},
    {2, "GPU Link Info", "pci_gpu_link_info"},
    {3, "PCIe Generation", "pcie_gen"},
    {4, "Max", "max_link_gen", show<&Device::max_pcie_link_generation>},
    {4, "Current", "current_link_gen", show<&Device::curr_pcie_link_generation>},
    {4, "Device Current", "device_current_link_gen", show<&Device::curr_pcie_link_generation>},
    {4, "Device Max", "max_device_link_gen", show<&Device::gpu_max_pcie_link_generation>},
    {4, "Host Max", "max_host_link_gen", host_max},
    {3, "Link Width", "link_widths"},
    {4, "Max", "max_link_width", lanes<&Device::max_pcie_link_width>},
    {4, "Current", "current_link_width", lanes<&Device::curr_pcie_link_width>},
    {2, "Bridge Chip", "pci_bridge_chip"},
    {3, "Type", "bridge_chip_type", bridge_type},
    {3, "Firmware", "bridge_chip_fw", bridge_firmware},
    {2, "Replays Since Reset", "replay_counter", show<&Device::pcie_replay_counter>},
    {2, "Replay Number Rollovers", "replay_rollover_counter", rollovers},
    {2, "Tx Throughput", "tx_util", throughput<nvml::PcieCounter::tx_bytes>},
    {2, "Rx Throughput", "rx_util", throughput<nvml::PcieCounter::rx_bytes>},
    {2, "Atomic Caps Inbound", "atomic_caps_inbound", atomics<&AtomicCapabilities::inbound>, kInboundFirst},
    {2, "Atomic Caps Outbound", "atomic_caps_outbound", atomics<&AtomicCapabilities::outbound>},
    {2, "Atomic Caps Inbound", "atomic_caps_inbound", atomics<&AtomicCapabilities::inbound>, kOutboundFirst},
    {1, "Fan Speed", "fan_speed", fan_speed},
    {1, "Performance State", "performance_state", show<&Device::performance_state>, kAlways, nullptr, kPerformance},
    {1, "Clocks Event Reasons", "clocks_event_reasons", nullptr, kAlways, nullptr, kPerformance},
    {2, "Idle", "clocks_event_reason_gpu_idle", active<ClocksEventReason::gpu_idle>},
    {2, "Applications Clocks Setting", "clocks_event_reason_applications_clocks_setting", active<ClocksEventReason::applications_clocks_setting>},
    {2, "SW Power Cap", "clocks_event_reason_sw_power_cap", active<ClocksEventReason::sw_power_cap>},
    {2, "HW Slowdown", "clocks_event_reason_hw_slowdown", active<ClocksEventReason::hw_slowdown>},
    {.depth = 2, .label = "HW Thermal Slowdown", .element = "clocks_event_reason_hw_thermal_slowdown", .value = active<ClocksEventReason::hw_thermal_slowdown>, .text_depth = 1},
    {.depth = 2, .label = "HW Power Brake Slowdown", .element = "clocks_event_reason_hw_power_brake_slowdown", .value = active<ClocksEventReason::hw_power_brake_slowdown>, .text_depth = 1},
    {2, "Sync Boost", "clocks_event_reason_sync_boost", active<ClocksEventReason::sync_boost>},
    {2, "SW Thermal Slowdown", "clocks_event_reason_sw_thermal_slowdown", active<ClocksEventReason::sw_thermal_slowdown>},
    {2, "Display Clock Setting", "clocks_event_reason_display_clocks_setting", active<ClocksEventReason::display_clock_setting>},
    {2, "Board Limit", "clocks_event_reason_board_limit", active<ClocksEventReason::board_limit>, from(615)},
    {2, "Reliability", "clocks_event_reason_reliability", active<ClocksEventReason::reliability>, from(615)},
    {1, "Clocks Event Reasons Counters", "clocks_event_reasons_counters", nullptr, from(580), nullptr, kPerformance},
    {2, "SW Power Capping", "clocks_event_reasons_counters_sw_power_cap", event_time<FieldId::dev_perf_policy_power>},
    {2, "Sync Boost", "clocks_event_reasons_counters_sync_boost", event_time<FieldId::dev_perf_policy_sync_boost>},
    {2, "SW Thermal Slowdown", "clocks_event_reasons_counters_sw_therm_slowdown", event_time<FieldId::dev_clocks_event_reason_sw_therm_slowdown>},
    {2, "HW Thermal Slowdown", "clocks_event_reasons_counters_hw_therm_slowdown", event_time<FieldId::dev_clocks_event_reason_hw_therm_slowdown>},
    {2, "HW Power Braking", "clocks_event_reasons_counters_hw_power_brake", event_time<FieldId::dev_clocks_event_reason_hw_power_brake_slowdown>},
    {1, "Sparse Operation Mode", "sparse_operation_mode", sparse, kAlways, nullptr, kPerformance},
};
// clang-format on

}  // namespace

std::span<const Row> pci_rows() { return kPciRows; }

}  // namespace nvmlkit::smi
