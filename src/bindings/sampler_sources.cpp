// The calls of the C function of each source.
#include "sampler_sources.hpp"

namespace nvmlkit::nvml::detail {
namespace {

// f(device, T*)
template <auto Member, class T>
Errc scalar(const Session& state, HeldDevice device, unsigned int, Outputs& out) {
  T value{};
  const Outcome outcome = call(state, Member, device, &value);
  if (outcome.ok()) out[0] = static_cast<unsigned long long>(value);
  return outcome.code;
}

// f(device, Selector, T*)
template <auto Member, class Selector, class T = unsigned int>
Errc selected(const Session& state, HeldDevice device, unsigned int selector, Outputs& out) {
  T value{};
  const Outcome outcome = call(state, Member, device, static_cast<Selector>(selector), &value);
  if (outcome.ok()) out[0] = static_cast<unsigned long long>(value);
  return outcome.code;
}

// f(device, unsigned* percent, unsigned* sampling period)
template <auto Member>
Errc engine(const Session& state, HeldDevice device, unsigned int, Outputs& out) {
  unsigned int percent = 0, period = 0;
  const Outcome outcome = call(state, Member, device, &percent, &period);
  if (outcome.ok()) out[0] = static_cast<unsigned long long>(percent);
  return outcome.code;
}

Errc temperature_v(const Session& state, HeldDevice device, unsigned int sensor, Outputs& out) {
  abi::nvmlTemperature_v1_t temperature{};
  temperature.version = abi::version_tag<abi::nvmlTemperature_v1_t>;
  temperature.sensorType = static_cast<abi::nvmlTemperatureSensors_t>(sensor);
  const Outcome outcome = call(state, &Table::DeviceGetTemperatureV, device, &temperature);
  if (outcome.ok()) out[0] = static_cast<long long>(temperature.temperature);
  return outcome.code;
}

Errc utilization(const Session& state, HeldDevice device, unsigned int, Outputs& out) {
  abi::nvmlUtilization_t rates{};
  const Outcome outcome = call(state, &Table::DeviceGetUtilizationRates, device, &rates);
  if (outcome.ok()) {
    out[0] = static_cast<unsigned long long>(rates.gpu);
    out[1] = static_cast<unsigned long long>(rates.memory);
  }
  return outcome.code;
}

Errc memory_v2(const Session& state, HeldDevice device, unsigned int, Outputs& out) {
  abi::nvmlMemory_v2_t memory{};
  memory.version = abi::version_tag<abi::nvmlMemory_v2_t>;
  const Outcome outcome = call(state, &Table::DeviceGetMemoryInfo_v2, device, &memory);
  if (outcome.ok()) out = {memory.total, memory.used, memory.free, memory.reserved};
  return outcome.code;
}

// `used` includes the driver's reserve here, of an unknown size: the output is no number.
Errc memory_v1(const Session& state, HeldDevice device, unsigned int, Outputs& out) {
  abi::nvmlMemory_t memory{};
  const Outcome outcome = call(state, &Table::DeviceGetMemoryInfo, device, &memory);
  if (outcome.ok()) out = {memory.total, memory.used, memory.free, kAbsent};
  return outcome.code;
}

Errc bar1(const Session& state, HeldDevice device, unsigned int, Outputs& out) {
  abi::nvmlBAR1Memory_t memory{};
  const Outcome outcome = call(state, &Table::DeviceGetBAR1MemoryInfo, device, &memory);
  if (outcome.ok()) {
    out[0] = memory.bar1Total;
    out[1] = memory.bar1Used;
  }
  return outcome.code;
}

Errc first_fan(const Session& state, HeldDevice device, unsigned int, Outputs& out) {
  unsigned int percent = 0;
  const Outcome outcome = call(state, &Table::DeviceGetFanSpeed_v2, device, 0U, &percent);
  if (outcome.ok()) out[0] = static_cast<unsigned long long>(percent);
  return outcome.code;
}

template <auto Member>
Errc p_state(const Session& state, HeldDevice device, unsigned int, Outputs& out) {
  abi::nvmlPstates_t value = abi::NVML_PSTATE_UNKNOWN;
  const Outcome outcome = call(state, Member, device, &value);
  if (outcome.ok() && value == abi::NVML_PSTATE_UNKNOWN) return Errc::no_data;
  if (outcome.ok()) out[0] = static_cast<unsigned long long>(value);
  return outcome.code;
}

Errc ecc_errors(const Session& state, HeldDevice device, unsigned int selector, Outputs& out) {
  unsigned long long count = 0;
  const Outcome outcome =
      call(state, &Table::DeviceGetTotalEccErrors, device, static_cast<abi::nvmlMemoryErrorType_t>(selector / 2),
           static_cast<abi::nvmlEccCounterType_t>(selector % 2), &count);
  if (outcome.ok()) out[0] = count;
  return outcome.code;
}

template <Ask... Versions>
constexpr std::array<Ask, sizeof...(Versions)> kVersions{Versions...};

}  // namespace

std::span<const Ask> versions_of(Source source) noexcept {
  using UInt = unsigned int;
  using Mask = unsigned long long;
  switch (source) {
    case Source::none:
      return {};
    case Source::power:
      return kVersions<scalar<&Table::DeviceGetPowerUsage, UInt>>;
    case Source::enforced_power_limit:
      return kVersions<scalar<&Table::DeviceGetEnforcedPowerLimit, UInt>>;
    case Source::energy:
      return kVersions<scalar<&Table::DeviceGetTotalEnergyConsumption, unsigned long long>>;
    case Source::temperature:
      return kVersions<temperature_v, selected<&Table::DeviceGetTemperature, abi::nvmlTemperatureSensors_t>>;
    case Source::utilization:
      return kVersions<utilization>;
    case Source::encoder:
      return kVersions<engine<&Table::DeviceGetEncoderUtilization>>;
    case Source::decoder:
      return kVersions<engine<&Table::DeviceGetDecoderUtilization>>;
    case Source::jpeg:
      return kVersions<engine<&Table::DeviceGetJpgUtilization>>;
    case Source::ofa:
      return kVersions<engine<&Table::DeviceGetOfaUtilization>>;
    case Source::clock:
      return kVersions<selected<&Table::DeviceGetClockInfo, abi::nvmlClockType_t>>;
    case Source::max_clock:
      return kVersions<selected<&Table::DeviceGetMaxClockInfo, abi::nvmlClockType_t>>;
    case Source::pcie_throughput:
      return kVersions<selected<&Table::DeviceGetPcieThroughput, abi::nvmlPcieUtilCounter_t>>;
    case Source::pcie_replays:
      return kVersions<scalar<&Table::DeviceGetPcieReplayCounter, UInt>>;
    case Source::pcie_generation:
      return kVersions<scalar<&Table::DeviceGetCurrPcieLinkGeneration, UInt>>;
    case Source::pcie_width:
      return kVersions<scalar<&Table::DeviceGetCurrPcieLinkWidth, UInt>>;
    case Source::memory:
      return kVersions<memory_v2, memory_v1>;
    case Source::bar1:
      return kVersions<bar1>;
    case Source::fan:
      return kVersions<first_fan, scalar<&Table::DeviceGetFanSpeed, UInt>>;
    case Source::p_state:
      return kVersions<p_state<&Table::DeviceGetPerformanceState>, p_state<&Table::DeviceGetPowerState>>;
    case Source::event_reasons:
      return kVersions<scalar<&Table::DeviceGetCurrentClocksEventReasons, Mask>,
                       scalar<&Table::DeviceGetCurrentClocksThrottleReasons, Mask>>;
    case Source::ecc_errors:
      return kVersions<ecc_errors>;
  }
  return {};
}

}  // namespace nvmlkit::nvml::detail
