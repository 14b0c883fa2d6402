// The scheduler of vGPUs: its state, its log, its limits. The first generation of functions is for the graphics engine
// and has a union that depends on ARR. The second has a choice of engine and no union.
#include "driver/nvml/vgpu/scheduler.hpp"

#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/mig/instances.hpp"

namespace nvmlkit::driver::functions {
namespace {

using scheduler::is_engine;
using scheduler::kBestEffort;
using scheduler::kGraphics;
using sim::vgpu::Region;
using sim::vgpu::Scheduler;
using sim::vgpu::Turn;
namespace limits = sim::vgpu::limits;

// The other engines know one policy.
Scheduler scheduler_of(const Region& region, unsigned int engine) {
  return engine == kGraphics ? sim::vgpu::scheduler_of(region) : sim::vgpu::scheduler_of(sim::model::VgpuScheduler{});
}

unsigned int arr_mode(const Scheduler& scheduler) {
  return static_cast<unsigned int>(scheduler.adaptive ? VGPU_SCHEDULER_ARR_ENABLE : VGPU_SCHEDULER_ARR_DISABLE);
}

void fill(const Scheduler& scheduler, nvmlVgpuSchedulerParams_t& params) {
  params = {};
  if (scheduler.adaptive)
    params.vgpuSchedDataWithARR = {scheduler.averaging_factor, scheduler.timeslice_ns};
  else
    params.vgpuSchedData = {scheduler.timeslice_ns};
}

template <class State>
void fill(const Scheduler& scheduler, State& state) {
  state.schedulerPolicy = scheduler.policy;
  state.arrMode = arr_mode(scheduler);
  fill(scheduler, state.schedulerParams);
}

template <class State>
void fill_v2(const Scheduler& scheduler, State& state) {
  state.schedulerPolicy = scheduler.policy;
  state.avgFactor = scheduler.adaptive ? scheduler.averaging_factor : 0;
  state.timeslice = scheduler.timeslice_ns;
}

// The turns of the graphics engine; those of the encoders are not reported.
template <class Log>
void fill_entries(const Machine& machine, const Region& region, unsigned int engine, Log& log) {
  struct Context {
    Log* log;
    std::uint32_t at;
    unsigned long long slice;
  } context{&log, 0, scheduler_of(region, engine).timeslice_ns};
  const auto write = [](void* to, const Turn& turn) {
    auto& c = *static_cast<Context*>(to);
    auto& entry = c.log->logEntries[c.at++];
    entry = {};
    entry.timestamp = turn.ended_ns;
    entry.timeRunTotal = turn.ran_in_all_ns;
    entry.timeRun = c.slice;
    entry.swRunlistId = turn.place;
    entry.targetTimeSlice = c.slice;
    if constexpr (requires { entry.weight; }) entry.weight = turn.share;
  };
  log.entriesCount =
      engine == kGraphics
          ? sim::vgpu::turns(region, machine, static_cast<std::uint32_t>(std::size(log.logEntries)), write, &context)
          : 0;
}

// The whole GPU, while it is not in MIG mode.
template <class Answer>
nvmlReturn_t on_gpu(const Gpu& gpu, unsigned int engine, Answer answer) {
  if (!scheduler::on_gpu(gpu) || sim::mig::enabled(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (!is_engine(engine)) return NVML_ERROR_INVALID_ARGUMENT;
  answer(Region{&gpu, {}});
  return NVML_SUCCESS;
}

// A GPU instance of a GPU that can share one: Blackwell and newer.
template <class Answer>
nvmlReturn_t on_instance(const Machine& machine, nvmlGpuInstance_t handle, unsigned int engine, Answer answer) {
  InstanceRef found;
  if (!find(machine, handle, found)) return NVML_ERROR_INVALID_ARGUMENT;
  if (!scheduler::on_instances(*found.gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (!is_engine(engine)) return NVML_ERROR_INVALID_ARGUMENT;
  answer(Region{found.gpu, *found.instance->id});
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t DeviceGetVgpuSchedulerCapabilities(const Machine&, const Gpu& gpu,
                                                nvmlVgpuSchedulerCapabilities_t* pCapabilities) {
  if (!scheduler::on_gpu(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  *pCapabilities = {
      {VGPU_SCHEDULER_POLICY_BEST_EFFORT, VGPU_SCHEDULER_POLICY_EQUAL_SHARE, VGPU_SCHEDULER_POLICY_FIXED_SHARE},
      limits::kMaxTimesliceNs,
      limits::kMinTimesliceNs,
      1,
      limits::kMaxFrequency,
      limits::kMinFrequency,
      limits::kMaxAveragingFactor,
      limits::kMinAveragingFactor};
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetVgpuSchedulerState(const Machine&, const Gpu& gpu, nvmlVgpuSchedulerGetState_t* pSchedulerState) {
  return on_gpu(gpu, kGraphics, [&](const Region& region) { fill(scheduler_of(region, kGraphics), *pSchedulerState); });
}

nvmlReturn_t DeviceGetVgpuSchedulerState_v2(const Machine&, const Gpu& gpu,
                                            nvmlVgpuSchedulerStateInfo_v2_t* pSchedulerStateInfo) {
  const auto engine = pSchedulerStateInfo->engineId;
  return on_gpu(gpu, engine,
                [&](const Region& region) { fill_v2(scheduler_of(region, engine), *pSchedulerStateInfo); });
}

nvmlReturn_t GpuInstanceGetVgpuSchedulerState(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                              nvmlVgpuSchedulerStateInfo_t* pSchedulerStateInfo) {
  const auto engine = pSchedulerStateInfo->engineId;
  return on_instance(machine, gpuInstance, engine,
                     [&](const Region& region) { fill(scheduler_of(region, engine), *pSchedulerStateInfo); });
}

nvmlReturn_t GpuInstanceGetVgpuSchedulerState_v2(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                                 nvmlVgpuSchedulerStateInfo_v2_t* pSchedulerStateInfo) {
  const auto engine = pSchedulerStateInfo->engineId;
  return on_instance(machine, gpuInstance, engine,
                     [&](const Region& region) { fill_v2(scheduler_of(region, engine), *pSchedulerStateInfo); });
}

nvmlReturn_t DeviceGetVgpuSchedulerLog(const Machine& machine, const Gpu& gpu, nvmlVgpuSchedulerLog_t* pSchedulerLog) {
  return on_gpu(gpu, kGraphics, [&](const Region& region) {
    pSchedulerLog->engineId = kGraphics;
    fill(scheduler_of(region, kGraphics), *pSchedulerLog);
    fill_entries(machine, region, kGraphics, *pSchedulerLog);
  });
}

nvmlReturn_t DeviceGetVgpuSchedulerLog_v2(const Machine& machine, const Gpu& gpu,
                                          nvmlVgpuSchedulerLogInfo_v2_t* pSchedulerLogInfo) {
  const auto engine = pSchedulerLogInfo->engineId;
  return on_gpu(gpu, engine, [&](const Region& region) {
    fill_v2(scheduler_of(region, engine), *pSchedulerLogInfo);
    fill_entries(machine, region, engine, *pSchedulerLogInfo);
  });
}

nvmlReturn_t GpuInstanceGetVgpuSchedulerLog(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                            nvmlVgpuSchedulerLogInfo_t* pSchedulerLogInfo) {
  const auto engine = pSchedulerLogInfo->engineId;
  return on_instance(machine, gpuInstance, engine, [&](const Region& region) {
    fill(scheduler_of(region, engine), *pSchedulerLogInfo);
    fill_entries(machine, region, engine, *pSchedulerLogInfo);
  });
}

nvmlReturn_t GpuInstanceGetVgpuSchedulerLog_v2(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                               nvmlVgpuSchedulerLogInfo_v2_t* pSchedulerLogInfo) {
  const auto engine = pSchedulerLogInfo->engineId;
  return on_instance(machine, gpuInstance, engine, [&](const Region& region) {
    fill_v2(scheduler_of(region, engine), *pSchedulerLogInfo);
    fill_entries(machine, region, engine, *pSchedulerLogInfo);
  });
}

}  // namespace nvmlkit::driver::functions
