// How vGPUs share a GPU: the scheduler, and GPU instances of MIG.
#include <set>

#include "vgpu_support.hpp"

namespace nvmlkit::driver_test {
namespace {

TEST_F(Vgpu, SchedulerInBothGenerations) {
  host("{}", "{instances: [{type: A40-8Q}]}");
  nvmlVgpuSchedulerSetState_t wanted{VGPU_SCHEDULER_POLICY_EQUAL_SHARE, VGPU_SCHEDULER_ARR_DISABLE, {}};
  wanted.schedulerParams.vgpuSchedData.timeslice = 999'999;
  EXPECT_EQ(call("nvmlDeviceSetVgpuSchedulerState", device(), &wanted), NVML_ERROR_INVALID_ARGUMENT);
  wanted.schedulerParams.vgpuSchedData.timeslice = 2'000'000;
  EXPECT_EQ(call("nvmlDeviceSetVgpuSchedulerState", device(), &wanted), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceSetVgpuSchedulerState", device(1), &wanted), NVML_ERROR_NOT_SUPPORTED);  // a VM runs
  nvmlVgpuSchedulerGetState_t state{};
  EXPECT_EQ(call("nvmlDeviceGetVgpuSchedulerState", device(), &state), NVML_SUCCESS);
  EXPECT_EQ(state.schedulerPolicy, static_cast<unsigned int>(VGPU_SCHEDULER_POLICY_EQUAL_SHARE));
  EXPECT_EQ(state.arrMode, static_cast<unsigned int>(VGPU_SCHEDULER_ARR_DISABLE));
  EXPECT_EQ(state.schedulerParams.vgpuSchedData.timeslice, 2'000'000U);
  nvmlVgpuSchedulerState_v2_t newer{VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS, VGPU_SCHEDULER_POLICY_FIXED_SHARE, 20, 500};
  EXPECT_EQ(call("nvmlDeviceSetVgpuSchedulerState_v2", device(), &newer), NVML_SUCCESS);
  nvmlVgpuSchedulerStateInfo_v2_t info{VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS, 0, 0, 0};
  EXPECT_EQ(call("nvmlDeviceGetVgpuSchedulerState_v2", device(), &info), NVML_SUCCESS);
  EXPECT_EQ(info.avgFactor, 20U);
  EXPECT_EQ(info.timeslice, 2'000'000U);
  info.engineId = 4;
  EXPECT_EQ(call("nvmlDeviceGetVgpuSchedulerState_v2", device(), &info), NVML_ERROR_INVALID_ARGUMENT);
  newer.frequency = 961;
  EXPECT_EQ(call("nvmlDeviceSetVgpuSchedulerState_v2", device(), &newer), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Vgpu, SchedulerLogsTurnsWhileTheGpuWorks) {
  start("base: a40\n" + std::string(kHead) +
        "device_defaults: {virtualization: {mode: host_vgpu}, "
        "vgpu: {instances: [{type: A40-8Q}, {type: A40-8Q}]}}\n"
        "devices: [{index: 0, utilization: {gpu: 50}}]\n");
  static nvmlVgpuSchedulerLogInfo_v2_t log;
  log.engineId = VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS;
  EXPECT_EQ(call("nvmlDeviceGetVgpuSchedulerLog_v2", device(), &log), NVML_SUCCESS);
  ASSERT_GT(log.entriesCount, 10U);
  for (unsigned int i = 1; i < log.entriesCount; ++i) {
    EXPECT_NE(log.logEntries[i].swRunlistId, log.logEntries[i - 1].swRunlistId);
    EXPECT_EQ(log.logEntries[i].timestamp - log.logEntries[i - 1].timestamp, log.logEntries[i].targetTimeSlice);
  }
  EXPECT_EQ(call("nvmlDeviceGetVgpuSchedulerLog_v2", device(1), &log), NVML_SUCCESS);
  EXPECT_EQ(log.entriesCount, 0U);
}

TEST_F(Vgpu, OnMigTheyNeedAGpuInstance) {
  start("base: h100\n" + std::string(kHead) +
        "device_defaults:\n"
        "  virtualization: {mode: host_vgpu}\n"
        "  mig: {mode_current: enabled, instances: [{profile: 1g.10gb, bare: true}, {profile: 3g.40gb, bare: true}]}\n"
        "devices: [{index: 0, vgpu: {instances: [{type: H100XM-1-10C}]}}]\n");
  EXPECT_EQ(names(list("nvmlDeviceGetCreatableVgpus", device())), (std::set<std::string>{"NVIDIA H100XM-3-40C"}));
  EXPECT_EQ(names(list("nvmlDeviceGetCreatableVgpus", device(1))),
            (std::set<std::string>{"NVIDIA H100XM-1-10C", "NVIDIA H100XM-3-40C"}));
  const auto id = active().at(0);
  unsigned int in = 0;
  EXPECT_EQ(call("nvmlVgpuInstanceGetGpuInstanceId", id, &in), NVML_SUCCESS);
  nvmlGpuInstance_t instance = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceById", device(), in, &instance), NVML_SUCCESS);
  unsigned int held[4] = {};
  nvmlActiveVgpuInstanceInfo_t active_here{version_tag<nvmlActiveVgpuInstanceInfo_t>, 4, held};
  EXPECT_EQ(call("nvmlGpuInstanceGetActiveVgpus", instance, &active_here), NVML_SUCCESS);
  EXPECT_EQ(active_here.vgpuCount, 1U);
  EXPECT_EQ(held[0], id);
  EXPECT_EQ(call("nvmlGpuInstanceDestroy", instance), NVML_ERROR_IN_USE);
  nvmlVgpuHeterogeneousMode_t mode{version_tag<nvmlVgpuHeterogeneousMode_t>, 0};
  EXPECT_EQ(call("nvmlGpuInstanceGetVgpuHeterogeneousMode", instance, &mode), NVML_ERROR_NOT_SUPPORTED);  // Blackwell
  EXPECT_EQ(call("nvmlDeviceGetVgpuHeterogeneousMode", device(), &mode), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(Vgpu, GpuInstancesOfBlackwellAreShared) {
  start("base: rtxpro6000\n" + std::string(kHead) +
        "device_defaults:\n"
        "  virtualization: {mode: host_vgpu}\n"
        "  mig: {mode_current: enabled, instances: [{profile: 1g.24gb+gfx, bare: true}]}\n");
  constexpr unsigned int k12Q = 1558, k8Q = 1555;
  nvmlGpuInstance_t instance = nullptr;
  nvmlDeviceVgpuCapability_t timeslicing = NVML_DEVICE_VGPU_CAP_MIG_TIMESLICING_ENABLED;
  nvmlVgpuTypeMaxInstance_t most{version_tag<nvmlVgpuTypeMaxInstance_t>, k12Q, 0};
  EXPECT_EQ(call("nvmlVgpuTypeGetMaxInstancesPerGpuInstance", &most), NVML_SUCCESS);
  EXPECT_EQ(most.maxInstancePerGI, 1U);
  EXPECT_EQ(call("nvmlDeviceSetVgpuCapabilities", device(), timeslicing, NVML_FEATURE_ENABLED), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlVgpuTypeGetMaxInstancesPerGpuInstance", &most), NVML_SUCCESS);
  EXPECT_EQ(most.maxInstancePerGI, 2U) << name(k12Q);
  unsigned int id = 0;
  for (; id < 15; ++id)
    if (call("nvmlDeviceGetGpuInstanceById", device(), id, &instance) == NVML_SUCCESS) break;
  const nvmlVgpuHeterogeneousMode_t on{version_tag<nvmlVgpuHeterogeneousMode_t>, 1};
  unsigned int ids[32] = {};
  nvmlVgpuCreatablePlacementInfo_t places{version_tag<nvmlVgpuCreatablePlacementInfo_t>, k8Q, 32, ids, 0};
  EXPECT_EQ(call("nvmlGpuInstanceGetVgpuTypeCreatablePlacements", instance, &places), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlGpuInstanceSetVgpuHeterogeneousMode", instance, &on), NVML_SUCCESS);
  places.count = 32;
  EXPECT_EQ(call("nvmlGpuInstanceGetVgpuTypeCreatablePlacements", instance, &places), NVML_SUCCESS) << name(k8Q);
  EXPECT_EQ(places.count, 2U);
  nvmlVgpuSchedulerState_v1_t wanted{version_tag<nvmlVgpuSchedulerState_v1_t>,
                                     VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS,
                                     VGPU_SCHEDULER_POLICY_EQUAL_SHARE,
                                     VGPU_SCHEDULER_ARR_DEFAULT,
                                     {}};
  EXPECT_EQ(call("nvmlGpuInstanceSetVgpuSchedulerState", instance, &wanted), NVML_SUCCESS);
  nvmlVgpuSchedulerStateInfo_v2_t info{VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS, 0, 0, 0};
  EXPECT_EQ(call("nvmlGpuInstanceGetVgpuSchedulerState_v2", instance, &info), NVML_SUCCESS);
  EXPECT_EQ(info.schedulerPolicy, static_cast<unsigned int>(VGPU_SCHEDULER_POLICY_EQUAL_SHARE));
}

}  // namespace
}  // namespace nvmlkit::driver_test
