// Setters of the vGPU scheduler. They work only while no VM runs.
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/mig/instances.hpp"
#include "driver/nvml/vgpu/scheduler.hpp"

namespace nvmlkit::driver::functions {
namespace {

using scheduler::is_engine;
using scheduler::kBestEffort;
using scheduler::kGraphics;
using sim::vgpu::Scheduler;
namespace limits = sim::vgpu::limits;

bool between(unsigned int value, unsigned int low, unsigned int high) { return value >= low && value <= high; }

// What the caller of the first generation asks for; false for a value out of range.
bool parse(unsigned int policy, unsigned int arr, const nvmlVgpuSchedulerSetParams_t& params, Scheduler& out) {
  if (!between(policy, kBestEffort, VGPU_SCHEDULER_POLICY_FIXED_SHARE) ||
      arr > static_cast<unsigned int>(VGPU_SCHEDULER_ARR_ENABLE))
    return false;
  sim::model::VgpuScheduler settings;
  settings.policy = policy;
  out = sim::vgpu::scheduler_of(settings);
  if (policy == kBestEffort || arr == static_cast<unsigned int>(VGPU_SCHEDULER_ARR_DEFAULT)) return true;
  out.adaptive = arr == static_cast<unsigned int>(VGPU_SCHEDULER_ARR_ENABLE);
  if (out.adaptive) {
    out.averaging_factor = params.vgpuSchedDataWithARR.avgFactor;
    out.frequency = params.vgpuSchedDataWithARR.frequency;
    return between(out.averaging_factor, limits::kMinAveragingFactor, limits::kMaxAveragingFactor) &&
           between(out.frequency, limits::kMinFrequency, limits::kMaxFrequency);
  }
  out.timeslice_ns = params.vgpuSchedData.timeslice;
  return between(out.timeslice_ns, limits::kMinTimesliceNs, limits::kMaxTimesliceNs);
}

// The second generation always speaks of ARR; 0 leaves a value to the driver.
bool parse(const nvmlVgpuSchedulerState_v2_t& state, Scheduler& out) {
  if (!between(state.schedulerPolicy, kBestEffort, VGPU_SCHEDULER_POLICY_FIXED_SHARE)) return false;
  sim::model::VgpuScheduler settings;
  settings.policy = state.schedulerPolicy;
  out = sim::vgpu::scheduler_of(settings);
  if (state.schedulerPolicy == kBestEffort) return true;
  if (state.avgFactor != 0) out.averaging_factor = state.avgFactor;
  if (state.frequency != 0) out.frequency = state.frequency;
  return between(out.averaging_factor, limits::kMinAveragingFactor, limits::kMaxAveragingFactor) &&
         between(out.frequency, limits::kMinFrequency, limits::kMaxFrequency);
}

nvmlReturn_t set_gpu(Gpu& gpu, unsigned int engine, bool valid, const Scheduler& wanted) {
  if (!scheduler::on_gpu(gpu) || sim::mig::enabled(gpu) || sim::vgpu::any(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (!valid || !is_engine(engine)) return NVML_ERROR_INVALID_ARGUMENT;
  if (engine != kGraphics) return wanted.policy == kBestEffort ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
  sim::vgpu::set(gpu.vgpu.scheduler, wanted);
  return NVML_SUCCESS;
}

nvmlReturn_t set_instance(const Machine& machine, nvmlGpuInstance_t handle, unsigned int engine, bool valid,
                          const Scheduler& wanted) {
  const auto id = find_gpu_instance(machine, handle);
  if (!id) return NVML_ERROR_INVALID_ARGUMENT;
  return edit_gpu(machine, *id->gpu, [&](Gpu& gpu) {
    if (!sim::mig::enabled(gpu) || !sim::mig::find_instance(gpu, id->id)) return NVML_ERROR_INVALID_ARGUMENT;
    if (!scheduler::on_instances(gpu) || sim::vgpu::any_on(gpu, id->id)) return NVML_ERROR_NOT_SUPPORTED;
    if (!valid || !is_engine(engine)) return NVML_ERROR_INVALID_ARGUMENT;
    if (engine != kGraphics) return wanted.policy == kBestEffort ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
    auto* said = sim::vgpu::settings_of(gpu, id->id);
    if (!said) return NVML_ERROR_INSUFFICIENT_RESOURCES;
    sim::vgpu::set(said->scheduler, wanted);
    return NVML_SUCCESS;
  });
}

}  // namespace

nvmlReturn_t DeviceSetVgpuSchedulerState(const Machine&, Gpu& gpu, nvmlVgpuSchedulerSetState_t* pSchedulerState) {
  Scheduler wanted;
  const bool valid =
      parse(pSchedulerState->schedulerPolicy, pSchedulerState->enableARRMode, pSchedulerState->schedulerParams, wanted);
  return set_gpu(gpu, kGraphics, valid, wanted);
}

nvmlReturn_t DeviceSetVgpuSchedulerState_v2(const Machine&, Gpu& gpu, nvmlVgpuSchedulerState_v2_t* pSchedulerState) {
  Scheduler wanted;
  const bool valid = parse(*pSchedulerState, wanted);
  return set_gpu(gpu, pSchedulerState->engineId, valid, wanted);
}

nvmlReturn_t GpuInstanceSetVgpuSchedulerState(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                              nvmlVgpuSchedulerState_t* pScheduler) {
  Scheduler wanted;
  const bool valid = parse(pScheduler->schedulerPolicy, pScheduler->enableARRMode, pScheduler->schedulerParams, wanted);
  return set_instance(machine, gpuInstance, pScheduler->engineId, valid, wanted);
}

nvmlReturn_t GpuInstanceSetVgpuSchedulerState_v2(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                                 nvmlVgpuSchedulerState_v2_t* pSchedulerState) {
  Scheduler wanted;
  const bool valid = parse(*pSchedulerState, wanted);
  return set_instance(machine, gpuInstance, pSchedulerState->engineId, valid, wanted);
}

}  // namespace nvmlkit::driver::functions
