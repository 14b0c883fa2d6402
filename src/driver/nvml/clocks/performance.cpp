// P-states, violations, encoder capacity.
#include "driver/nvml/call/read.hpp"
#include "driver/nvml/field_values/field_values.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::driver {

using sim::telemetry::Reading;

namespace {

// Heat is one policy, whether software or hardware slows the GPU down.
std::uint64_t thermal_violation_us(const sim::model::Gpu& gpu, const Reading& now) {
  const auto& c = gpu.clocks_throttle_reasons.counters;
  return now(c.sw_thermal_slowdown_us).value_or(0) + now(c.hw_thermal_slowdown_us).value_or(0);
}

}  // namespace

abi::nvmlReturn_t thermal_violation(const sim::model::Gpu& gpu, const Reading& now, unsigned int, unsigned int,
                                    abi::nvmlFieldValue_t& out) {
  if (!gpu.clocks_throttle_reasons.counters.sw_thermal_slowdown_us) return abi::NVML_ERROR_NOT_SUPPORTED;
  return put_ullong(1000 * thermal_violation_us(gpu, now), out);
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

// Every GPU can run in P0; if the machine states another idle P-state, it can run in that one too.
nvmlReturn_t DeviceGetSupportedPerformanceStates(const Machine&, const Gpu& gpu, nvmlPstates_t* pstates,
                                                 unsigned int size) {
  const std::size_t room = size / sizeof(nvmlPstates_t);
  const auto now = static_cast<nvmlPstates_t>(gpu.performance_state.value_or(NVML_PSTATE_0));
  const std::size_t needed = now == NVML_PSTATE_0 ? 1 : 2;
  if (room < needed) return NVML_ERROR_INSUFFICIENT_SIZE;
  pstates[0] = NVML_PSTATE_0;
  if (needed == 2) pstates[1] = now;
  for (std::size_t i = needed; i < room; ++i) pstates[i] = NVML_PSTATE_UNKNOWN;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetMinMaxClockOfPState(const Machine&, const Gpu& gpu, nvmlClockType_t type, nvmlPstates_t pstate,
                                          unsigned int* minClockMHz, unsigned int* maxClockMHz) {
  const auto now = static_cast<nvmlPstates_t>(gpu.performance_state.value_or(NVML_PSTATE_0));
  if (pstate != NVML_PSTATE_0 && pstate != now) return NVML_ERROR_INVALID_ARGUMENT;
  const auto memory_clocks = gpu.supported_clocks.memory_clocks.span();
  if (memory_clocks.empty() || type == NVML_CLOCK_VIDEO) return NVML_ERROR_NOT_SUPPORTED;
  unsigned int low = ~0U;
  unsigned int high = 0;
  const auto include = [&](unsigned int mhz) {
    low = std::min(low, mhz);
    high = std::max(high, mhz);
  };
  for (const auto& clock : memory_clocks) {
    if (type == NVML_CLOCK_MEM) {
      include(*clock.freq_mhz);
    } else {
      for (const auto mhz : clock.graphics_clocks) include(mhz);
    }
  }
  if (low > high) return NVML_ERROR_NOT_SUPPORTED;
  *minClockMHz = low;
  *maxClockMHz = high;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetDynamicPstatesInfo(const Machine& machine, const Gpu& gpu, nvmlGpuDynamicPstatesInfo_t* info) {
  const auto& u = gpu.utilization;
  const Reading now(machine, gpu);
  const sim::model::Field<std::uint32_t> domains[] = {now(u.gpu), now(u.memory), now(u.encoder)};  // GPU, FB, VID
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
      microseconds = thermal_violation_us(gpu, now);
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
