// The vGPU scheduler through both versions of its functions: one value, one way to set it.
#include <gtest/gtest.h>

#include "fake_table.hpp"

namespace nvmlkit::nvml {
namespace {

using test::device_of;
using test::fake_table;

GpuInstance instance_of(const Table& table) {
  return GpuInstance(Library::from_table(table).value().session(), reinterpret_cast<abi::nvmlGpuInstance_t>(0x7000));
}

constexpr VgpuSchedulerEngine kNvenc = VgpuSchedulerEngine::nvenc0;

TEST(VgpuScheduler, TheSecondVersionIsOfTheEngineThatIsAskedFor) {
  Table table = fake_table();
  table.DeviceGetVgpuSchedulerState_v2 = [](abi::nvmlDevice_t, abi::nvmlVgpuSchedulerStateInfo_v2_t* info) {
    *info = {info->engineId, 3, 33, 2'000'000};
    return abi::NVML_SUCCESS;
  };
  const auto state = device_of(table).vgpu_scheduler_state(kNvenc);
  EXPECT_EQ(state->engine_id, kNvenc);
  EXPECT_EQ(state->scheduler_policy, VgpuSchedulerPolicy::fixed_share);
  EXPECT_EQ(state->avg_factor, 33u);
  EXPECT_EQ(state->timeslice, std::chrono::milliseconds(2));
  EXPECT_EQ(state->arr_mode, std::nullopt);
  EXPECT_STREQ(state.symbol(), "nvmlDeviceGetVgpuSchedulerState_v2");
}

TEST(VgpuScheduler, TheFirstVersionSelectsFromItsUnion) {
  static unsigned int mode;
  Table table = fake_table();
  table.DeviceGetVgpuSchedulerState = [](abi::nvmlDevice_t, abi::nvmlVgpuSchedulerGetState_t* state) {
    state->schedulerPolicy = 2;
    state->arrMode = mode;
    state->schedulerParams.vgpuSchedDataWithARR = {33, 1000};
    return abi::NVML_SUCCESS;
  };
  const Device device = device_of(table);
  mode = abi::VGPU_SCHEDULER_ARR_ENABLE;
  const auto with = device.vgpu_scheduler_state();
  EXPECT_EQ(with->avg_factor, 33u);
  EXPECT_EQ(with->timeslice, std::chrono::nanoseconds(1000));
  EXPECT_EQ(with->engine_id, std::nullopt);
  EXPECT_STREQ(with.symbol(), "nvmlDeviceGetVgpuSchedulerState");
  mode = abi::VGPU_SCHEDULER_ARR_DISABLE;
  const auto without = device.vgpu_scheduler_state();
  EXPECT_EQ(without->avg_factor, std::nullopt);
  EXPECT_EQ(without->timeslice, std::chrono::nanoseconds(33));  // the first word of the union
  // It knows one engine, and no answer is better than that of another one.
  const auto other = device.vgpu_scheduler_state(kNvenc);
  EXPECT_EQ(other.error().code(), Errc::function_not_found);
  EXPECT_STREQ(other.error().function(), "nvmlDeviceGetVgpuSchedulerState_v2");
}

TEST(VgpuScheduler, TheFirstVersionOfAnInstanceKnowsItsEngines) {
  Table table = fake_table();
  table.GpuInstanceGetVgpuSchedulerLog = [](abi::nvmlGpuInstance_t, abi::nvmlVgpuSchedulerLogInfo_t* log) {
    if (log->version != abi::version_tag<abi::nvmlVgpuSchedulerLogInfo_v1_t>)
      return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    EXPECT_EQ(log->engineId, to_abi(kNvenc));
    log->entriesCount = 2;
    log->logEntries[1].timeRun = 7;
    return abi::NVML_SUCCESS;
  };
  const auto log = instance_of(table).vgpu_scheduler_log(kNvenc);
  ASSERT_EQ(log->log_entries.size(), 2u);
  EXPECT_EQ(log->log_entries[1].time_run, std::chrono::nanoseconds(7));
  EXPECT_EQ(log->log_entries[1].weight, std::nullopt);
  EXPECT_EQ(log.struct_version(), 1u);
}

TEST(VgpuScheduler, WhatIsSetReachesEitherVersion) {
  static abi::nvmlVgpuSchedulerState_v2_t second;
  static abi::nvmlVgpuSchedulerSetState_t first;
  Table table = fake_table();
  table.DeviceSetVgpuSchedulerState = [](abi::nvmlDevice_t, abi::nvmlVgpuSchedulerSetState_t* wanted) {
    first = *wanted;
    return abi::NVML_SUCCESS;
  };
  const Device older = device_of(table);
  table.DeviceSetVgpuSchedulerState_v2 = [](abi::nvmlDevice_t, abi::nvmlVgpuSchedulerState_v2_t* wanted) {
    second = *wanted;
    return abi::NVML_SUCCESS;
  };
  const Device newer = device_of(table);

  const VgpuSchedulerSettings with_arr{.policy = VgpuSchedulerPolicy::equal_share, .avg_factor = 33, .frequency = 480};
  ASSERT_TRUE(newer.set_vgpu_scheduler_state(with_arr));
  EXPECT_EQ(second.engineId, static_cast<unsigned int>(abi::VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS));
  EXPECT_EQ(second.avgFactor, 33u);
  EXPECT_EQ(second.frequency, 480u);
  ASSERT_TRUE(older.set_vgpu_scheduler_state(with_arr));
  EXPECT_EQ(first.enableARRMode, static_cast<unsigned int>(abi::VGPU_SCHEDULER_ARR_ENABLE));
  EXPECT_EQ(first.schedulerParams.vgpuSchedDataWithARR.frequency, 480u);

  // A time slice is something that only the first version takes.
  const VgpuSchedulerSettings with_slice{.policy = VgpuSchedulerPolicy::fixed_share,
                                         .timeslice = std::chrono::milliseconds(2)};
  const auto set = newer.set_vgpu_scheduler_state(with_slice);
  EXPECT_STREQ(set.symbol(), "nvmlDeviceSetVgpuSchedulerState");
  EXPECT_EQ(first.enableARRMode, static_cast<unsigned int>(abi::VGPU_SCHEDULER_ARR_DISABLE));
  EXPECT_EQ(first.schedulerParams.vgpuSchedData.timeslice, 2'000'000u);
}

TEST(VgpuScheduler, WhatCannotBeSetIsRefusedBeforeTheDriver) {
  const Device device = device_of(fake_table());
  const auto code = [&](const VgpuSchedulerSettings& settings) {
    return device.set_vgpu_scheduler_state(settings).error().code();
  };
  using std::chrono::seconds;
  constexpr auto kBestEffort = VgpuSchedulerPolicy::best_effort;
  EXPECT_EQ(code({.policy = kBestEffort, .frequency = 1, .timeslice = seconds(1)}), Errc::invalid_argument);
  EXPECT_EQ(code({.policy = kBestEffort, .timeslice = seconds(5)}), Errc::invalid_argument);
  EXPECT_EQ(code({.policy = kBestEffort, .timeslice = seconds(-1)}), Errc::invalid_argument);
  EXPECT_EQ(code({.policy = kBestEffort, .engine = kNvenc}), Errc::function_not_found);
  EXPECT_EQ(code({.policy = kBestEffort, .engine = kNvenc, .timeslice = seconds(1)}), Errc::function_not_found);
}

}  // namespace
}  // namespace nvmlkit::nvml
