#include "metrics/dcgm_values.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "sim/model/pci_bus_id.hpp"
#include "sim/native/faults.hpp"
#include "sim/processes/occupants.hpp"
#include "sim/state/follow.hpp"
#include "sim/state/read.hpp"
#include "sim/telemetry/reading.hpp"
#include "sim/telemetry/violations.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::metrics {
namespace {

using sim::Machine;
using sim::model::Gpu;
using Result = std::optional<double>;

// As time moves it, divided by the units of the model in one of DCGM.
template <auto Group, auto Field, int Divisor = 1>
Result value_of_field(const Machine&, const Machine& copy, std::size_t gpu) {
  const auto& of = copy.gpus()[gpu];
  const auto value = sim::telemetry::Reading(copy, of)((of.*Group).*Field);
  return value ? Result(static_cast<double>(*value) / Divisor) : std::nullopt;
}

// The model counts microseconds, DCGM nanoseconds.
template <auto Field>
Result limited_ns(const Machine&, const Machine& copy, std::size_t gpu) {
  const auto& of = copy.gpus()[gpu];
  const auto value = sim::telemetry::Reading(copy, of)(of.clocks_throttle_reasons.counters.*Field);
  return value ? Result(static_cast<double>(*value) * 1000) : std::nullopt;
}

Result hot_ns(const Machine&, const Machine& copy, std::size_t gpu) {
  const auto& of = copy.gpus()[gpu];
  if (!of.clocks_throttle_reasons.counters.sw_thermal_slowdown_us) return std::nullopt;
  return 1000 * static_cast<double>(sim::telemetry::thermal_violation_us(of, sim::telemetry::Reading(copy, of)));
}

template <auto Period, auto Kind>
Result ecc_total(const Machine&, const Machine& copy, std::size_t gpu) {
  const auto& of = copy.gpus()[gpu];
  const auto& total = ((of.ecc.errors.*Period).*Kind).total;
  const bool on = of.ecc.mode_current && *of.ecc.mode_current != 0;
  return on && total ? Result(static_cast<double>(*total)) : std::nullopt;
}

// Processes are the machine's and not the copy's.
template <auto Member>
Result memory_mib(const Machine& machine, const Machine&, std::size_t gpu) {
  sim::processes::Memory memory{};
  const auto& of = machine.gpus()[gpu];
  if (!of.memory.total_bytes || sim::has(of, sim::Trait::integrated)) return {};
  sim::state::consistently(machine, machine.sequence(of),
                           [&] { memory = sim::processes::memory_of_board(machine, of); });
  return static_cast<double>(memory.*Member >> 20);
}

Result last_xid(const Machine&, const Machine& copy, std::size_t gpu) { return copy.gpus()[gpu].faults.last_xid; }

Result performance_state_of(const Machine&, const Machine& copy, std::size_t gpu) {
  const auto& of = copy.gpus()[gpu];
  const auto state = sim::telemetry::Reading(copy, of)(of.performance_state);
  return state ? Result(*state) : std::nullopt;
}

Result event_reasons(const Machine&, const Machine& copy, std::size_t gpu) {
  const auto& of = copy.gpus()[gpu];
  const sim::telemetry::Reading now(copy, of);
  const auto& reasons = of.clocks_throttle_reasons;
  std::uint64_t bits = 0;
  const auto add = [&](const auto& field, std::uint64_t bit) {
    if (now(field).value_or(false)) bits |= bit;
  };
  add(reasons.gpu_idle, 0x1);
  add(reasons.applications_clocks_setting, 0x2);
  add(reasons.sw_power_cap, 0x4);
  add(reasons.hw_slowdown, 0x8);
  add(reasons.sw_thermal_slowdown, 0x20);
  add(reasons.hw_thermal_slowdown, 0x40);
  add(reasons.hw_power_brake_slowdown, 0x80);
  return static_cast<double>(bits);
}

using G = Gpu;
using sim::model::Clocks;
using sim::model::EccErrors;
using sim::model::EccPeriods;
using sim::model::Fan;
using sim::model::Pcie;
using sim::model::Power;
using sim::model::RemappedRows;
using sim::model::Thermal;
using sim::model::ThrottleCounters;
using sim::model::Utilization;
using sim::processes::Memory;

constexpr DcgmValue kDcgmValues[] = {
    {"DCGM_FI_DEV_SM_CLOCK", kGauge, "SM clock frequency (in MHz)", value_of_field<&G::clocks, &Clocks::sm_current>},
    {"DCGM_FI_DEV_MEM_CLOCK", kGauge, "Memory clock frequency (in MHz)",
     value_of_field<&G::clocks, &Clocks::memory_current>},
    {"DCGM_FI_DEV_VIDEO_CLOCK", kGauge, "Video clock frequency (in MHz)",
     value_of_field<&G::clocks, &Clocks::video_current>},
    {"DCGM_FI_DEV_MEMORY_TEMP", kGauge, "Memory temperature (in C)",
     value_of_field<&G::thermal, &Thermal::temperature_memory_c>},
    {"DCGM_FI_DEV_GPU_TEMP", kGauge, "GPU temperature (in C)",
     value_of_field<&G::thermal, &Thermal::temperature_gpu_c>},
    {"DCGM_FI_DEV_POWER_USAGE", kGauge, "Power draw (in W)", value_of_field<&G::power, &Power::current_draw_mw, 1000>},
    {"DCGM_FI_DEV_POWER_MGMT_LIMIT", kGauge, "Power limit (in W)", value_of_field<&G::power, &Power::limit_mw, 1000>},
    {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", kCounter, "Energy since the driver was loaded (in mJ)",
     value_of_field<&G::power, &Power::total_energy_consumption_mj>},
    {"DCGM_FI_DEV_FAN_SPEED", kGauge, "Fan speed (in %)", value_of_field<&G::fan, &Fan::speed_percent>},
    {"DCGM_FI_DEV_PSTATE", kGauge, "Performance state", performance_state_of},
    {"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", kGauge, "Clocks event reasons as bits", event_reasons},
    {"DCGM_FI_DEV_PCIE_REPLAY_COUNTER", kCounter, "PCIe replays", value_of_field<&G::pcie, &Pcie::replay_counter>},
    {"DCGM_FI_DEV_PCIE_TX_THROUGHPUT", kGauge, "PCIe traffic sent (in KB/s)",
     value_of_field<&G::pcie, &Pcie::tx_throughput_kbps>},
    {"DCGM_FI_DEV_PCIE_RX_THROUGHPUT", kGauge, "PCIe traffic received (in KB/s)",
     value_of_field<&G::pcie, &Pcie::rx_throughput_kbps>},
    {"DCGM_FI_DEV_GPU_UTIL", kGauge, "GPU utilization (in %)", value_of_field<&G::utilization, &Utilization::gpu>},
    {"DCGM_FI_DEV_MEM_COPY_UTIL", kGauge, "Memory utilization (in %)",
     value_of_field<&G::utilization, &Utilization::memory>},
    {"DCGM_FI_DEV_ENC_UTIL", kGauge, "Encoder utilization (in %)",
     value_of_field<&G::utilization, &Utilization::encoder>},
    {"DCGM_FI_DEV_DEC_UTIL", kGauge, "Decoder utilization (in %)",
     value_of_field<&G::utilization, &Utilization::decoder>},
    {"DCGM_FI_DEV_XID_ERRORS", kGauge, "Number of the last Xid", last_xid},
    {"DCGM_FI_DEV_POWER_VIOLATION", kCounter, "Time below full clocks because of the power limit (in ns)",
     limited_ns<&ThrottleCounters::sw_power_cap_us>},
    {"DCGM_FI_DEV_THERMAL_VIOLATION", kCounter, "Time below full clocks because of heat (in ns)", hot_ns},
    {"DCGM_FI_DEV_FB_FREE", kGauge, "Free frame buffer (in MiB)", memory_mib<&Memory::free>},
    {"DCGM_FI_DEV_FB_USED", kGauge, "Used frame buffer (in MiB)", memory_mib<&Memory::used>},
    {"DCGM_FI_DEV_FB_RESERVED", kGauge, "Reserved frame buffer (in MiB)", memory_mib<&Memory::reserved>},
    {"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", kCounter, "Corrected ECC errors since the driver was loaded",
     ecc_total<&EccPeriods::volatile_, &EccErrors::single_bit>},
    {"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", kCounter, "Uncorrected ECC errors since the driver was loaded",
     ecc_total<&EccPeriods::volatile_, &EccErrors::double_bit>},
    {"DCGM_FI_DEV_ECC_SBE_AGG_TOTAL", kCounter, "Corrected ECC errors over the life of the GPU",
     ecc_total<&EccPeriods::aggregate, &EccErrors::single_bit>},
    {"DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", kCounter, "Uncorrected ECC errors over the life of the GPU",
     ecc_total<&EccPeriods::aggregate, &EccErrors::double_bit>},
    {"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", kCounter, "Rows remapped because of uncorrectable errors",
     value_of_field<&G::remapped_rows, &RemappedRows::uncorrectable>},
    {"DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", kCounter, "Rows remapped because of correctable errors",
     value_of_field<&G::remapped_rows, &RemappedRows::correctable>},
    {"DCGM_FI_DEV_ROW_REMAP_PENDING", kGauge, "1 if a remapping waits for a reset",
     value_of_field<&G::remapped_rows, &RemappedRows::pending>},
    {"DCGM_FI_DEV_ROW_REMAP_FAILURE", kGauge, "1 if a remapping failed",
     value_of_field<&G::remapped_rows, &RemappedRows::failure_occurred>},
};

std::string words_of(const auto& field) { return field ? std::string(field->view()) : ""; }

DcgmLabels labels_of(const Machine& copy, std::size_t place, std::string_view host) {
  const auto& gpu = copy.gpus()[place];
  char buffer[24];
  const auto& id = gpu.pci.bus_id;
  return {std::to_string(place),
          words_of(gpu.uuid),
          std::string(id ? sim::model::format_pci_bus_id(*id, 8, buffer) : ""),
          "nvidia" + std::to_string(gpu.minor_number.value_or(static_cast<std::uint32_t>(place))),
          words_of(gpu.name),
          std::string(host),
          words_of(copy.system().driver_version)};
}

}  // namespace

std::array<std::pair<std::string_view, std::string_view>, 7> DcgmLabels::pairs() const {
  return {{{"gpu", gpu},
           {"UUID", uuid},
           {"pci_bus_id", bus_id},
           {"device", device},
           {"modelName", model},
           {"Hostname", host},
           {"DCGM_FI_DRIVER_VERSION", driver}}};
}

std::span<const DcgmValue> dcgm_values() { return kDcgmValues; }

bool each_dcgm_value(const Machine& machine, std::string_view host,
                     const std::function<void(const DcgmValue&, const DcgmLabels&, double)>& visit) {
  const auto copy = Machine::create(machine.gpus().size());
  if (!copy || !sim::state::copy_now(machine, *copy)) return false;
  std::vector<DcgmLabels> labels;
  for (std::size_t i = 0; i < copy->gpus().size(); ++i) labels.push_back(labels_of(*copy, i, host));
  for (const auto& value : kDcgmValues)
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const bool answers = copy->gpus()[i].faults.availability == sim::faults::Availability::available;
      if (!answers && value.read != last_xid) continue;
      if (const auto number = value.read(machine, *copy, i)) visit(value, labels[i], *number);
    }
  return true;
}

bool add_dcgm(Exposition& out, const Machine& machine, std::string_view host) {
  const DcgmValue* family = nullptr;
  return each_dcgm_value(machine, host, [&](const DcgmValue& value, const DcgmLabels& labels, double number) {
    if (family != &value) out.family(value.name, value.type, value.help);
    family = &value;
    out.sample(labels.pairs(), number);
  });
}

}  // namespace nvmlkit::metrics
