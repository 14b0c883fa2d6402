// The vGPU scheduler. The first versions of its functions have a union that a mode selects from; the second have none.
#include <nvmlkit/device.hpp>
#include <nvmlkit/vgpu.hpp>

#include "conversions.hpp"

namespace nvmlkit::nvml {
namespace {

using detail::by;
using detail::call;
using detail::Outcome;

template <class Value, class Struct>
Value value_from(const Struct& from) {
  auto value = detail::value_of<Value>(from);
  if constexpr (requires { from.schedulerParams; }) {
    const bool arr = from.arrMode == static_cast<unsigned int>(abi::VGPU_SCHEDULER_ARR_ENABLE);
    const auto& with_arr = from.schedulerParams.vgpuSchedDataWithARR;
    if (arr) value.avg_factor = with_arr.avgFactor;
    value.timeslice = std::chrono::nanoseconds(arr ? with_arr.timeslice : from.schedulerParams.vgpuSchedData.timeslice);
  }
  return value;
}

// Asks one version. Struct is the layout that it fills.
template <class Value, class Struct, class Handle>
auto reader(const Session& state, abi::nvmlReturn_t (*Table::*member)(Handle, Struct*), unsigned int version,
            Held<Handle> handle, VgpuSchedulerEngine engine) {
  return by(member, version, [&state, member, handle, engine]() -> Result<Value> {
    Struct answer{};
    if constexpr (requires { answer.version; })
      answer.version = abi::version_tag<Struct>;
    else if constexpr (std::is_same_v<Struct, abi::nvmlVgpuSchedulerGetState_t> ||
                       std::is_same_v<Struct, abi::nvmlVgpuSchedulerLog_t>)
      if (engine != VgpuSchedulerEngine::graphics) return Failure(Errc::function_not_found, symbol_of(member).name);
    if constexpr (requires { answer.engineId; }) answer.engineId = to_abi(engine);
    const Outcome outcome = call(state, member, handle, &answer);
    if (!outcome.ok()) return outcome.failure();
    return value_from<Value>(answer);
  });
}

// The union of the first version, as its mode says.
template <class Struct>
Struct first_version_of(const VgpuSchedulerSettings& settings) {
  Struct wanted{};
  if constexpr (requires { wanted.version; }) {
    wanted.version = abi::version_tag<Struct>;
    wanted.engineId = to_abi(settings.engine);
  }
  wanted.schedulerPolicy = to_abi(settings.policy);
  wanted.enableARRMode = abi::VGPU_SCHEDULER_ARR_DEFAULT;
  if (settings.timeslice) {
    wanted.enableARRMode = abi::VGPU_SCHEDULER_ARR_DISABLE;
    wanted.schedulerParams.vgpuSchedData.timeslice = static_cast<unsigned int>(settings.timeslice->count());
  } else if (settings.avg_factor || settings.frequency) {
    wanted.enableARRMode = abi::VGPU_SCHEDULER_ARR_ENABLE;
    wanted.schedulerParams.vgpuSchedDataWithARR = {settings.avg_factor.value_or(0), settings.frequency.value_or(0)};
  }
  return wanted;
}

template <class Handle, class First>
Result<void> set_state(const Session& state, Held<Handle> handle, const VgpuSchedulerSettings& settings,
                       abi::nvmlReturn_t (*Table::*second)(Handle, abi::nvmlVgpuSchedulerState_v2_t*),
                       abi::nvmlReturn_t (*Table::*first)(Handle, First*)) {
  const char* const name = symbol_of(second).name;
  if (settings.timeslice && (settings.avg_factor || settings.frequency))
    return Failure(Errc::invalid_argument, name, "timeslice is for a scheduler without adaptive round robin");
  if (settings.timeslice && !detail::holds<unsigned int>(*settings.timeslice))
    return Failure(Errc::invalid_argument, name, "timeslice is out of range");
  const auto newer = by(second, 2, [&]() -> Result<void> {
    abi::nvmlVgpuSchedulerState_v2_t wanted{to_abi(settings.engine), to_abi(settings.policy),
                                            settings.avg_factor.value_or(0), settings.frequency.value_or(0)};
    const Outcome outcome = call(state, second, handle, &wanted);
    if (!outcome.ok()) return outcome.failure();
    return {};
  });
  const auto older = by(first, 1, [&]() -> Result<void> {
    auto wanted = first_version_of<First>(settings);
    const Outcome outcome = call(state, first, handle, &wanted);
    if (!outcome.ok()) return outcome.failure();
    return {};
  });
  constexpr bool kChoosesEngine = requires(First wanted) { wanted.engineId; };
  if (!kChoosesEngine && settings.engine != VgpuSchedulerEngine::graphics)
    return settings.timeslice ? Failure(Errc::function_not_found, symbol_of(first).name, "of one engine") : newer();
  return settings.timeslice ? older() : detail::newest_of(newer, older);
}

}  // namespace

Result<VgpuSchedulerState> Device::vgpu_scheduler_state(VgpuSchedulerEngine engine) const {
  using Value = VgpuSchedulerState;
  return detail::newest_of(reader<Value>(*session_, &Table::DeviceGetVgpuSchedulerState_v2, 2, handle_, engine),
                           reader<Value>(*session_, &Table::DeviceGetVgpuSchedulerState, 0, handle_, engine));
}

Result<VgpuSchedulerLog> Device::vgpu_scheduler_log(VgpuSchedulerEngine engine) const {
  using Value = VgpuSchedulerLog;
  return detail::newest_of(reader<Value>(*session_, &Table::DeviceGetVgpuSchedulerLog_v2, 2, handle_, engine),
                           reader<Value>(*session_, &Table::DeviceGetVgpuSchedulerLog, 0, handle_, engine));
}

Result<void> Device::set_vgpu_scheduler_state(const VgpuSchedulerSettings& settings) const {
  return set_state(*session_, handle_, settings, &Table::DeviceSetVgpuSchedulerState_v2,
                   &Table::DeviceSetVgpuSchedulerState);
}

Result<VgpuSchedulerState> GpuInstance::vgpu_scheduler_state(VgpuSchedulerEngine engine) const {
  using Value = VgpuSchedulerState;
  return detail::newest_of(reader<Value>(*session_, &Table::GpuInstanceGetVgpuSchedulerState_v2, 2, handle_, engine),
                           reader<Value>(*session_, &Table::GpuInstanceGetVgpuSchedulerState, 1, handle_, engine));
}

Result<VgpuSchedulerLog> GpuInstance::vgpu_scheduler_log(VgpuSchedulerEngine engine) const {
  using Value = VgpuSchedulerLog;
  return detail::newest_of(reader<Value>(*session_, &Table::GpuInstanceGetVgpuSchedulerLog_v2, 2, handle_, engine),
                           reader<Value>(*session_, &Table::GpuInstanceGetVgpuSchedulerLog, 1, handle_, engine));
}

Result<void> GpuInstance::set_vgpu_scheduler_state(const VgpuSchedulerSettings& settings) const {
  return set_state(*session_, handle_, settings, &Table::GpuInstanceSetVgpuSchedulerState_v2,
                   &Table::GpuInstanceSetVgpuSchedulerState);
}

}  // namespace nvmlkit::nvml
