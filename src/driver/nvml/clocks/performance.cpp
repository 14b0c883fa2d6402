// P-states, violations, encoder capacity.
#include <algorithm>
#include <iterator>

#include "driver/nvml/call/read.hpp"
#include "driver/nvml/clocks/pstates.hpp"
#include "driver/nvml/field_values/field_values.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/telemetry/pins.hpp"
#include "sim/telemetry/reading.hpp"
#include "sim/telemetry/violations.hpp"

namespace nvmlkit::driver {

using sim::telemetry::Reading;

const PerformanceLevel* PerformanceLevels::find(abi::nvmlPstates_t state) const {
  const auto* found = std::find_if(begin(), end(), [&](const PerformanceLevel& level) { return level.state == state; });
  return found == end() ? nullptr : found;
}

PerformanceLevels performance_levels(const sim::model::Gpu& gpu) {
  constexpr abi::nvmlPstates_t kStates[] = {abi::NVML_PSTATE_0, abi::NVML_PSTATE_2, abi::NVML_PSTATE_3,
                                            abi::NVML_PSTATE_5, abi::NVML_PSTATE_8};
  const auto idle = static_cast<abi::nvmlPstates_t>(gpu.performance_state.value_or(abi::NVML_PSTATE_0));
  const auto clocks = gpu.supported_clocks.memory_clocks.span();
  PerformanceLevels all;
  for (const auto& clock : clocks.first(std::min(clocks.size(), std::size(kStates))))
    all.levels[all.count++].clock = &clock;
  auto* const first = all.levels.data();
  std::sort(first, first + all.count, [](const PerformanceLevel& a, const PerformanceLevel& b) {
    return a.clock->freq_mhz.value_or(0) < b.clock->freq_mhz.value_or(0);
  });
  if (all.count == 0) all.count = 1;
  for (std::size_t i = 0; i < all.count; ++i) all.levels[i].state = kStates[all.count - 1 - i];
  if (idle == abi::NVML_PSTATE_0) return all;
  if (all.count == 1) all.levels[all.count++] = all.levels[0];
  all.levels[0].state = idle;
  return all;
}

namespace {

// Traffic over PCIe, of what the link carries in its busier direction.
sim::model::Field<std::uint32_t> bus_percent(const sim::model::Gpu& gpu, const Reading& now) {
  const auto sent = now(gpu.pcie.tx_throughput_kbps), received = now(gpu.pcie.rx_throughput_kbps);
  const auto generation = now(gpu.pcie.current_link_gen), width = now(gpu.pcie.current_link_width);
  sim::model::Field<std::uint32_t> percent;
  if (!sent || !received || !generation || !width) return percent;
  const auto kbps = 250'000.0 * (1U << std::min(*generation, 6U)) / 2 * *width;  // of a lane: 250 MB/s, then twice that
  percent = static_cast<std::uint32_t>(std::min(100.0, 100 * static_cast<double>(std::max(*sent, *received)) / kbps));
  return percent;
}

}  // namespace

abi::nvmlReturn_t thermal_violation(const sim::model::Gpu& gpu, const Reading& now, unsigned int, unsigned int,
                                    abi::nvmlFieldValue_t& out) {
  if (!gpu.clocks_throttle_reasons.counters.sw_thermal_slowdown_us) return abi::NVML_ERROR_NOT_SUPPORTED;
  return put_ullong(1000 * sim::telemetry::thermal_violation_us(gpu, now), out);
}

abi::nvmlReturn_t event_reason_time(const sim::model::Gpu& gpu, const Reading& now, unsigned int id, unsigned int,
                                    abi::nvmlFieldValue_t& out) {
  const auto& c = gpu.clocks_throttle_reasons.counters;
  const auto put = [&](const auto& field) {
    const auto microseconds = now(field);
    return microseconds ? put_ullong(1000 * *microseconds, out) : abi::NVML_ERROR_NOT_SUPPORTED;
  };
  switch (static_cast<int>(id)) {
    case abi::FI_DEV_PERF_POLICY_POWER:
      return put(c.sw_power_cap_us);
    case abi::FI_DEV_PERF_POLICY_SYNC_BOOST:
      return put(c.sync_boost_us);
    case abi::FI_DEV_PERF_POLICY_BOARD_LIMIT:
      return put(c.board_limit_us);
    case abi::FI_DEV_PERF_POLICY_LOW_UTILIZATION:
      return put(c.low_utilization_us);
    case abi::FI_DEV_PERF_POLICY_RELIABILITY:
      return put(c.reliability_us);
    case abi::FI_DEV_PERF_POLICY_TOTAL_APP_CLOCKS:
      return put(c.below_application_clocks_us);
    case abi::FI_DEV_PERF_POLICY_TOTAL_BASE_CLOCKS:
      return put(c.below_base_clocks_us);
    case abi::FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN:
      return put(c.sw_thermal_slowdown_us);
    case abi::FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN:
      return put(c.hw_thermal_slowdown_us);
    default:
      return put(c.hw_power_brake_slowdown_us);
  }
}

namespace functions {

// As many as there is room for.
nvmlReturn_t DeviceGetSupportedPerformanceStates(const Machine&, const Gpu& gpu, nvmlPstates_t* pstates,
                                                 unsigned int size) {
  const std::size_t room = size / sizeof(nvmlPstates_t);
  if (!pstates || size == 0) return NVML_ERROR_INVALID_ARGUMENT;
  if (room == 0) return NVML_ERROR_INSUFFICIENT_SIZE;
  const auto all = performance_levels(gpu);
  for (std::size_t i = 0; i < room; ++i) pstates[i] = i < all.count ? all.levels[i].state : NVML_PSTATE_UNKNOWN;
  return NVML_SUCCESS;
}

// A P-state that the GPU lacks is an unknown error.
nvmlReturn_t DeviceGetMinMaxClockOfPState(const Machine&, const Gpu& gpu, nvmlClockType_t type, nvmlPstates_t pstate,
                                          unsigned int* minClockMHz, unsigned int* maxClockMHz) {
  if (pstate >= NVML_PSTATE_UNKNOWN) return NVML_ERROR_INVALID_ARGUMENT;
  const auto all = performance_levels(gpu);
  const auto* level = all.find(pstate);
  if (!level) return NVML_ERROR_UNKNOWN;
  if (type == NVML_CLOCK_VIDEO) {
    if (const auto result = read(gpu.clocks.video_max, maxClockMHz); result != NVML_SUCCESS) return result;
    return read(sim::telemetry::unpinned(gpu, gpu.clocks.video_current), minClockMHz);
  }
  if (!level->clock) return NVML_ERROR_NOT_SUPPORTED;
  const auto clocks = level->clock->graphics_clocks.span();
  if (type != NVML_CLOCK_MEM && clocks.empty()) return NVML_ERROR_NOT_SUPPORTED;
  const auto memory = *level->clock->freq_mhz;
  *minClockMHz = type == NVML_CLOCK_MEM ? memory : *std::min_element(clocks.begin(), clocks.end());
  *maxClockMHz = type == NVML_CLOCK_MEM ? memory : *std::max_element(clocks.begin(), clocks.end());
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetDynamicPstatesInfo(const Machine& machine, const Gpu& gpu, nvmlGpuDynamicPstatesInfo_t* info) {
  const auto& u = gpu.utilization;
  const Reading now(machine, gpu);
  const auto bus = bus_percent(gpu, now);
  const sim::model::Field<std::uint32_t> domains[] = {now(u.gpu), now(u.memory), now(u.encoder), bus};  // GPU, FB, VID
  *info = {};
  for (std::size_t i = 0; i < std::size(domains); ++i) {
    info->utilization[i].bIsPresent = domains[i].present ? 1 : 0;
    info->utilization[i].percentage = domains[i].value_or(0);
  }
  return NVML_SUCCESS;
}

// What the encoder could do, less what it does.
nvmlReturn_t DeviceGetEncoderCapacity(const Machine& machine, const Gpu& gpu, nvmlEncoderType_t encoderQueryType,
                                      unsigned int* encoderCapacity) {
  const auto left = [&](const sim::model::Field<std::uint32_t>& capacity) {
    const auto busy = std::min(Reading(machine, gpu)(gpu.utilization.encoder).value_or(0), 100U);
    const auto result = read(capacity, encoderCapacity);
    if (result == NVML_SUCCESS) *encoderCapacity = std::min(*encoderCapacity, 100 - busy);
    return result;
  };
  switch (encoderQueryType) {
    case NVML_ENCODER_QUERY_H264:
      return left(gpu.encoder_capacity.h264);
    case NVML_ENCODER_QUERY_HEVC:
      return left(gpu.encoder_capacity.hevc);
    case NVML_ENCODER_QUERY_AV1:
      return left(gpu.encoder_capacity.av1);
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

nvmlReturn_t DeviceGetViolationStatus(const Machine& machine, const Gpu& gpu, nvmlPerfPolicyType_t perfPolicyType,
                                      nvmlViolationTime_t* violTime) {
  const auto& c = gpu.clocks_throttle_reasons.counters;
  const Reading now(machine, gpu);
  std::uint64_t microseconds = 0;
  switch (perfPolicyType) {
    case NVML_PERF_POLICY_POWER:
      microseconds = now(c.sw_power_cap_us).value_or(0);
      break;
    case NVML_PERF_POLICY_THERMAL:
      microseconds = sim::telemetry::thermal_violation_us(gpu, now);
      break;
    case NVML_PERF_POLICY_SYNC_BOOST:
      microseconds = c.sync_boost_us.value_or(0);
      break;
    case NVML_PERF_POLICY_BOARD_LIMIT:
      microseconds = c.board_limit_us.value_or(0);
      break;
    case NVML_PERF_POLICY_LOW_UTILIZATION:
      microseconds = c.low_utilization_us.value_or(0);
      break;
    case NVML_PERF_POLICY_RELIABILITY:
      microseconds = c.reliability_us.value_or(0);
      break;
    case NVML_PERF_POLICY_TOTAL_APP_CLOCKS:
      microseconds = now(c.below_application_clocks_us).value_or(0);
      break;
    case NVML_PERF_POLICY_TOTAL_BASE_CLOCKS:
      microseconds = c.below_base_clocks_us.value_or(0);
      break;
    default:
      break;
  }
  violTime->referenceTime = sim::unix_us(machine, now.at_ns());
  violTime->violationTime = microseconds * 1000;  // NVML counts nanoseconds here
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetPowerManagementLimit(const Machine&, const Gpu& gpu, unsigned int* limit) {
  if (!gpu.power.management_supported.value_or(false)) return NVML_ERROR_NOT_SUPPORTED;
  return read(gpu.power.limit_mw, limit);
}

}  // namespace functions
}  // namespace nvmlkit::driver
