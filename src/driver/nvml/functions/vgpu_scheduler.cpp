// The scheduler of vGPUs: its state, its log, what can be set. The first generation of functions speaks of the graphics
// engine and has a union for what depends on ARR; the second has a choice of engine and no union.
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/mig.hpp"
#include "driver/nvml/vgpu.hpp"
#include "sim/vgpu/scheduler.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::vgpu::Region;
using sim::vgpu::Scheduler;
using sim::vgpu::Turn;
namespace limits = sim::vgpu::limits;

constexpr unsigned int best_effort = VGPU_SCHEDULER_POLICY_BEST_EFFORT;

bool is_engine(unsigned int engine) {
  return engine >= static_cast<unsigned int>(VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS) &&
         engine <= static_cast<unsigned int>(VGPU_SCHEDULER_ENGINE_TYPE_NVENC0);
}

bool is_graphics(unsigned int engine) {
  return engine == static_cast<unsigned int>(VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS);
}

// The other engines know one policy.
Scheduler scheduler_of(const Region& region, unsigned int engine) {
  return is_graphics(engine) ? sim::vgpu::scheduler_of(region) : sim::vgpu::scheduler_of(sim::model::VgpuScheduler{});
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

// The turns of the graphics engine; that of the encoders is not told.
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
      is_graphics(engine)
          ? sim::vgpu::turns(region, machine, static_cast<std::uint32_t>(std::size(log.logEntries)), write, &context)
          : 0;
}

nvmlReturn_t check(const Gpu& gpu) {
  const bool new_enough = gpu.architecture && *gpu.architecture >= sim::model::Architecture::pascal;
  return sim::vgpu::is_host(gpu) && new_enough ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

// The whole GPU, while it is not in MIG mode.
template <class Answer>
nvmlReturn_t on_gpu(const Gpu& gpu, unsigned int engine, Answer answer) {
  if (const auto result = check(gpu); result != NVML_SUCCESS) return result;
  if (sim::mig::enabled(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (!is_engine(engine)) return NVML_ERROR_INVALID_ARGUMENT;
  answer(Region{&gpu, {}});
  return NVML_SUCCESS;
}

// A GPU instance of a GPU that can share one: Blackwell and newer.
template <class Answer>
nvmlReturn_t on_instance(const Machine& machine, nvmlGpuInstance_t handle, unsigned int engine, Answer answer) {
  InstanceRef found;
  if (!find(machine, handle, found)) return NVML_ERROR_INVALID_ARGUMENT;
  if (!sim::vgpu::is_host(*found.gpu) || !found.gpu->vgpu.mig_timeslicing) return NVML_ERROR_NOT_SUPPORTED;
  if (!is_engine(engine)) return NVML_ERROR_INVALID_ARGUMENT;
  answer(Region{found.gpu, *found.instance->id});
  return NVML_SUCCESS;
}

constexpr unsigned int graphics = VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS;

bool between(unsigned int value, unsigned int low, unsigned int high) { return value >= low && value <= high; }

// What the caller of the first generation asks for; false for a value out of range.
bool parse(unsigned int policy, unsigned int arr, const nvmlVgpuSchedulerSetParams_t& params, Scheduler& out) {
  if (!between(policy, best_effort, VGPU_SCHEDULER_POLICY_FIXED_SHARE) ||
      arr > static_cast<unsigned int>(VGPU_SCHEDULER_ARR_ENABLE))
    return false;
  sim::model::VgpuScheduler settings;
  settings.policy = policy;
  out = sim::vgpu::scheduler_of(settings);
  if (policy == best_effort || arr == static_cast<unsigned int>(VGPU_SCHEDULER_ARR_DEFAULT)) return true;
  out.adaptive = arr == static_cast<unsigned int>(VGPU_SCHEDULER_ARR_ENABLE);
  if (out.adaptive) {
    out.averaging_factor = params.vgpuSchedDataWithARR.avgFactor;
    out.frequency = params.vgpuSchedDataWithARR.frequency;
    return between(out.averaging_factor, limits::min_averaging_factor, limits::max_averaging_factor) &&
           between(out.frequency, limits::min_frequency, limits::max_frequency);
  }
  out.timeslice_ns = params.vgpuSchedData.timeslice;
  return between(out.timeslice_ns, limits::min_timeslice_ns, limits::max_timeslice_ns);
}

// The second generation always speaks of ARR; 0 leaves a value to the driver.
bool parse(const nvmlVgpuSchedulerState_v2_t& state, Scheduler& out) {
  if (!between(state.schedulerPolicy, best_effort, VGPU_SCHEDULER_POLICY_FIXED_SHARE)) return false;
  sim::model::VgpuScheduler settings;
  settings.policy = state.schedulerPolicy;
  out = sim::vgpu::scheduler_of(settings);
  if (state.schedulerPolicy == best_effort) return true;
  if (state.avgFactor != 0) out.averaging_factor = state.avgFactor;
  if (state.frequency != 0) out.frequency = state.frequency;
  return between(out.averaging_factor, limits::min_averaging_factor, limits::max_averaging_factor) &&
         between(out.frequency, limits::min_frequency, limits::max_frequency);
}

// Only while no VM runs.
nvmlReturn_t set_gpu(Gpu& gpu, unsigned int engine, bool valid, const Scheduler& scheduler) {
  if (const auto result = check(gpu); result != NVML_SUCCESS) return result;
  if (sim::mig::enabled(gpu) || sim::vgpu::any(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (!valid || !is_engine(engine)) return NVML_ERROR_INVALID_ARGUMENT;
  if (!is_graphics(engine)) return scheduler.policy == best_effort ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
  sim::vgpu::set(gpu.vgpu.scheduler, scheduler);
  return NVML_SUCCESS;
}

nvmlReturn_t set_instance(const Machine& machine, nvmlGpuInstance_t handle, unsigned int engine, bool valid,
                          const Scheduler& scheduler) {
  const auto id = find_gpu_instance(machine, handle);
  if (!id) return NVML_ERROR_INVALID_ARGUMENT;
  return change(machine, *id->gpu, [&](Gpu& gpu) {
    if (!sim::mig::enabled(gpu) || !sim::mig::find_instance(gpu, id->id)) return NVML_ERROR_INVALID_ARGUMENT;
    if (!sim::vgpu::is_host(gpu) || !gpu.vgpu.mig_timeslicing || sim::vgpu::any_on(gpu, id->id))
      return NVML_ERROR_NOT_SUPPORTED;
    if (!valid || !is_engine(engine)) return NVML_ERROR_INVALID_ARGUMENT;
    if (!is_graphics(engine)) return scheduler.policy == best_effort ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
    auto* said = sim::vgpu::settings_of(gpu, id->id);
    if (!said) return NVML_ERROR_INSUFFICIENT_RESOURCES;
    sim::vgpu::set(said->scheduler, scheduler);
    return NVML_SUCCESS;
  });
}

}  // namespace

nvmlReturn_t DeviceGetVgpuSchedulerCapabilities(const Machine&, const Gpu& gpu,
                                                nvmlVgpuSchedulerCapabilities_t* pCapabilities) {
  if (const auto result = check(gpu); result != NVML_SUCCESS) return result;
  *pCapabilities = {
      {VGPU_SCHEDULER_POLICY_BEST_EFFORT, VGPU_SCHEDULER_POLICY_EQUAL_SHARE, VGPU_SCHEDULER_POLICY_FIXED_SHARE},
      limits::max_timeslice_ns,
      limits::min_timeslice_ns,
      1,
      limits::max_frequency,
      limits::min_frequency,
      limits::max_averaging_factor,
      limits::min_averaging_factor};
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetVgpuSchedulerState(const Machine&, const Gpu& gpu, nvmlVgpuSchedulerGetState_t* pSchedulerState) {
  return on_gpu(gpu, graphics, [&](const Region& region) { fill(scheduler_of(region, graphics), *pSchedulerState); });
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
  return on_gpu(gpu, graphics, [&](const Region& region) {
    pSchedulerLog->engineId = graphics;
    fill(scheduler_of(region, graphics), *pSchedulerLog);
    fill_entries(machine, region, graphics, *pSchedulerLog);
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

nvmlReturn_t DeviceSetVgpuSchedulerState(const Machine&, Gpu& gpu, nvmlVgpuSchedulerSetState_t* pSchedulerState) {
  Scheduler wanted;
  const bool valid =
      parse(pSchedulerState->schedulerPolicy, pSchedulerState->enableARRMode, pSchedulerState->schedulerParams, wanted);
  return set_gpu(gpu, graphics, valid, wanted);
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
