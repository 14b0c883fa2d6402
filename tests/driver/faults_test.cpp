// Broken GPUs, as a program sees them.
#include "broken_support.hpp"

namespace nvmlkit::driver_test {
namespace {

TEST_F(Faults, ALostGpuAnswersItsUuidOnlyAndStaysCounted) {
  start_shared("h100");
  start_library();
  const auto gpu = device(0), healthy = device(1);
  inject("gpu=0 lost");
  EXPECT_EQ(temperature(gpu), NVML_ERROR_GPU_IS_LOST);
  char text[96];
  EXPECT_EQ(call("nvmlDeviceGetUUID", gpu, text, 96U), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceGetName", gpu, text, 96U), NVML_ERROR_GPU_IS_LOST);
  EXPECT_EQ(call("nvmlDeviceSetPowerManagementLimit", gpu, 300'000U), NVML_ERROR_GPU_IS_LOST);
  nvmlDevice_t again = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetHandleByIndex_v2", 0U, &again), NVML_ERROR_GPU_IS_LOST);
  EXPECT_EQ(temperature(healthy), NVML_SUCCESS);
  EXPECT_EQ(count(), 2U);
  heal("gpu=0");
  EXPECT_EQ(temperature(gpu), NVML_SUCCESS);
}

TEST_F(Faults, AGpuThatNeedsAResetStillSaysWhoItIs) {
  start_shared("h100");
  start_library();
  inject("gpu=0 reset-required");
  EXPECT_EQ(temperature(device(0)), NVML_ERROR_RESET_REQUIRED);
  char text[96];
  EXPECT_EQ(call("nvmlDeviceGetUUID", device(0), text, 96U), NVML_SUCCESS);
}

TEST_F(Faults, AnXidThatAsksForAResetKeepsNewProgramsOut) {
  using sim::processes::Outcome;
  start_shared("h100");
  outside_->system().driver_version = std::string_view("590.48.01");
  start_library();
  const auto set = set_for(kXid | static_cast<unsigned long long>(EventTypeGpuRecoveryAction));
  const auto gpu = device(0);
  ASSERT_EQ(field(gpu, FI_DEV_GET_GPU_RECOVERY_ACTION), NVML_GPU_RECOVERY_ACTION_NONE);
  ASSERT_EQ(use(1), Outcome::done);
  inject("gpu=0 xid 95");
  inject("gpu=1 xid 95");
  EXPECT_EQ(temperature(gpu), NVML_SUCCESS);
  EXPECT_EQ(field(gpu, FI_DEV_GET_GPU_RECOVERY_ACTION), NVML_GPU_RECOVERY_ACTION_GPU_RESET);
  EXPECT_EQ(field(gpu, FI_DEV_RESET_STATUS), 1U);
  EXPECT_EQ(use(0), Outcome::reset_first);
  EXPECT_EQ(use(1), Outcome::done) << "who uses it already goes on";
  nvmlEventData_t data{};
  EXPECT_EQ(wait(set, data), NVML_SUCCESS);
  EXPECT_EQ(data.eventData, 95U);
  EXPECT_EQ(wait(set, data), NVML_SUCCESS);
  EXPECT_EQ(data.eventType, static_cast<unsigned long long>(EventTypeGpuRecoveryAction));
  EXPECT_EQ(data.eventData, static_cast<unsigned long long>(NVML_GPU_RECOVERY_ACTION_GPU_RESET));
  heal("gpu=0");
  EXPECT_EQ(field(gpu, FI_DEV_GET_GPU_RECOVERY_ACTION), NVML_GPU_RECOVERY_ACTION_NONE);
  EXPECT_EQ(use(0), Outcome::done);
}

TEST_F(Faults, AnXidThatStopsTheGpuLeavesWhoItIs) {
  start_shared("h100");
  start_library();
  inject("gpu=0 xid 119");
  EXPECT_EQ(temperature(device(0)), NVML_ERROR_RESET_REQUIRED);
  char text[96];
  EXPECT_EQ(call("nvmlDeviceGetUUID", device(0), text, 96U), NVML_SUCCESS);
  EXPECT_EQ(use(0), sim::processes::Outcome::reset_first);
  EXPECT_EQ(*outside_->gpus()[0].reset_status.recovery_action,
            static_cast<unsigned>(NVML_GPU_RECOVERY_ACTION_GPU_RESET));
  inject("gpu=0 xid 79");
  EXPECT_EQ(*outside_->gpus()[0].reset_status.recovery_action,
            static_cast<unsigned>(NVML_GPU_RECOVERY_ACTION_NODE_REBOOT));
  EXPECT_EQ(use(0), sim::processes::Outcome::unreachable);
}

TEST_F(Faults, AContainedErrorAdvisesToDrain) {
  start_shared("h100");
  start_library();
  inject("gpu=0 ecc dram uncorrected");
  EXPECT_EQ(*outside_->gpus()[0].reset_status.recovery_action,
            static_cast<unsigned>(NVML_GPU_RECOVERY_ACTION_DRAIN_AND_RESET));
  EXPECT_EQ(field(device(0), FI_DEV_DRAIN_AND_RESET_STATUS), 1U);
  EXPECT_EQ(use(0), sim::processes::Outcome::done);
}

// As the header says: no new requests, and new NVML processes no longer see it.
TEST_F(Faults, ADrainedGpuTakesNobodyNew) {
  using sim::processes::Outcome;
  start_shared("a100", "3");
  start_library();
  const auto gpu = device(1), last = device(2);
  ASSERT_EQ(call("nvmlDeviceSetPersistenceMode", gpu, NVML_FEATURE_DISABLED), NVML_SUCCESS);
  nvmlPciInfo_t pci{};
  ASSERT_EQ(call("nvmlDeviceGetPciInfo_v3", gpu, &pci), NVML_SUCCESS);
  char uuid[96];
  ASSERT_EQ(call("nvmlDeviceGetUUID", gpu, uuid, 96U), NVML_SUCCESS);
  ASSERT_EQ(use(1), Outcome::done);
  ASSERT_EQ(call("nvmlDeviceModifyDrainState", &pci, NVML_FEATURE_ENABLED), NVML_SUCCESS);
  EXPECT_EQ(use(1), Outcome::done) << "who uses it already goes on";
  EXPECT_EQ(temperature(gpu), NVML_SUCCESS);
  EXPECT_EQ(count(), 3U);
  ASSERT_EQ(sim::processes::detach(*outside_, 1, static_cast<std::uint32_t>(getpid())), Outcome::done);
  EXPECT_EQ(use(1), Outcome::draining);
  EXPECT_EQ(use(0), Outcome::done);

  call("nvmlShutdown");
  start_library();
  EXPECT_EQ(count(), 2U);
  EXPECT_EQ(device(1), last);
  unsigned int index = 9;
  EXPECT_EQ(call("nvmlDeviceGetIndex", last, &index), NVML_SUCCESS);
  EXPECT_EQ(index, 1U);
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetHandleByUUID", uuid, &found), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(call("nvmlDeviceGetHandleByPciBusId_v2", pci.busId, &found), NVML_ERROR_NOT_FOUND);
  nvmlEnableState_t state = NVML_FEATURE_DISABLED;
  EXPECT_EQ(call("nvmlDeviceQueryDrainState", &pci, &state), NVML_SUCCESS);
  EXPECT_EQ(state, NVML_FEATURE_ENABLED);
  EXPECT_EQ(call("nvmlDeviceModifyDrainState", &pci, NVML_FEATURE_DISABLED), NVML_SUCCESS);
  EXPECT_EQ(use(1), Outcome::done);
  call("nvmlShutdown");
  start_library();
  EXPECT_EQ(count(), 3U);
}

TEST_F(Faults, AGpuOffTheBusIsNotEnumerated) {
  start_shared("h100", "3");
  start_library();
  const auto first = device(0), second = device(1), third = device(2);
  inject("gpu=1 off-bus");
  EXPECT_EQ(count(), 2U);
  EXPECT_EQ(device(1), third);
  unsigned int index = 9;
  EXPECT_EQ(call("nvmlDeviceGetIndex", third, &index), NVML_SUCCESS);
  EXPECT_EQ(index, 1U);
  EXPECT_EQ(device(0), first);
  EXPECT_EQ(temperature(second), NVML_ERROR_GPU_IS_LOST);
  heal("gpu=1 off-bus");
  EXPECT_EQ(count(), 3U);
  EXPECT_EQ(device(1), second);
}

TEST_F(Faults, DrainRemoveAndDiscover) {
  start_shared("a100");
  start_library();
  const auto gpu = device(1);
  nvmlPciInfo_t pci{};
  ASSERT_EQ(call("nvmlDeviceGetPciInfo_v3", gpu, &pci), NVML_SUCCESS);
  nvmlEnableState_t state = NVML_FEATURE_ENABLED;
  ASSERT_EQ(call("nvmlDeviceSetPersistenceMode", gpu, NVML_FEATURE_ENABLED), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceModifyDrainState", &pci, NVML_FEATURE_ENABLED), NVML_ERROR_IN_USE);
  EXPECT_EQ(call("nvmlDeviceRemoveGpu_v2", &pci, NVML_DETACH_GPU_KEEP, NVML_PCIE_LINK_KEEP), NVML_ERROR_IN_USE);
  ASSERT_EQ(call("nvmlDeviceSetPersistenceMode", gpu, NVML_FEATURE_DISABLED), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceQueryDrainState", &pci, &state), NVML_SUCCESS);
  EXPECT_EQ(state, NVML_FEATURE_DISABLED);
  EXPECT_EQ(call("nvmlDeviceModifyDrainState", &pci, NVML_FEATURE_ENABLED), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceQueryDrainState", &pci, &state), NVML_SUCCESS);
  EXPECT_EQ(state, NVML_FEATURE_ENABLED);
  EXPECT_EQ(call("nvmlDeviceRemoveGpu_v2", &pci, NVML_DETACH_GPU_REMOVE, NVML_PCIE_LINK_KEEP), NVML_SUCCESS);
  EXPECT_EQ(count(), 1U);
  EXPECT_EQ(temperature(gpu), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceQueryDrainState", &pci, &state), NVML_ERROR_NOT_FOUND);
  nvmlPciInfo_t everywhere{};
  EXPECT_EQ(call("nvmlDeviceDiscoverGpus", &everywhere), NVML_SUCCESS);
  EXPECT_EQ(count(), 2U);
  EXPECT_EQ(call("nvmlDeviceQueryDrainState", &pci, &state), NVML_SUCCESS);
  EXPECT_EQ(state, NVML_FEATURE_DISABLED);
}

TEST_F(Faults, AFanThatFailsIsNotReadAndCoolsNothing) {
  start_shared("rtx4090", "1");
  outside_->gpus()[0].fan.count = 2U;
  start_library();
  const auto gpu = device();
  unsigned int fans = 0, speed = 0, target = 0;
  ASSERT_EQ(call("nvmlDeviceGetNumFans", gpu, &fans), NVML_SUCCESS);
  ASSERT_EQ(fans, 2U);
  EXPECT_EQ(call("nvmlDeviceGetFanSpeed", gpu, &speed), NVML_SUCCESS);
  inject("gpu=0 fan 0");
  EXPECT_EQ(call("nvmlDeviceGetFanSpeed", gpu, &speed), NVML_ERROR_UNKNOWN);
  EXPECT_EQ(call("nvmlDeviceGetFanSpeed_v2", gpu, 0U, &speed), NVML_ERROR_UNKNOWN);
  EXPECT_EQ(call("nvmlDeviceGetFanSpeed_v2", gpu, 1U, &speed), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceGetFanSpeed_v2", gpu, fans, &speed), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetTargetFanSpeed", gpu, 0U, &target), NVML_SUCCESS) << "what it should do is known";
  EXPECT_EQ(temperature(gpu), NVML_SUCCESS);
  heal("gpu=0 fan");
  EXPECT_EQ(call("nvmlDeviceGetFanSpeed_v2", gpu, 0U, &speed), NVML_SUCCESS);
}

TEST_F(Faults, Inforom) {
  start_shared("t4", "1");
  start_library();
  char text[64];
  EXPECT_EQ(call("nvmlDeviceGetInforomImageVersion", device(), text, 64U), NVML_SUCCESS);
  inject("gpu=0 inforom");
  EXPECT_EQ(call("nvmlDeviceGetInforomImageVersion", device(), text, 64U), NVML_ERROR_CORRUPTED_INFOROM);
  EXPECT_EQ(call("nvmlDeviceValidateInforom", device()), NVML_ERROR_CORRUPTED_INFOROM);
  EXPECT_EQ(temperature(device()), NVML_SUCCESS);
  heal("gpu=0 inforom");
  EXPECT_EQ(call("nvmlDeviceValidateInforom", device()), NVML_SUCCESS);
}

TEST_F(Faults, ThermalSlowdownSetsItsReasons) {
  start_shared("h100");
  start_library();
  const auto reasons = [&] {
    unsigned long long out = 0;
    EXPECT_EQ(call("nvmlDeviceGetCurrentClocksThrottleReasons", device(), &out), NVML_SUCCESS);
    return static_cast<long long>(out);
  };
  const auto heat = ClocksThrottleReasonHwThermalSlowdown | ClocksThrottleReasonHwSlowdown;
  EXPECT_EQ(reasons() & heat, 0);
  inject("gpu=0 thermal");
  EXPECT_EQ(reasons() & heat, heat);
  inject("gpu=0 power-brake");
  heal("gpu=0 thermal");
  EXPECT_EQ(reasons() & heat, ClocksThrottleReasonHwSlowdown);
  heal("gpu=0");
  EXPECT_EQ(reasons() & heat, 0);
}

// Error records: asked for their size, then read in pieces, from where the cursor stands.
TEST_F(Faults, XidsAreErrorRecords) {
  start_shared("h100");
  start_library();
  nvmlGetCPER_v1_t get{};
  get.cursor.cperTypeMask = NVML_CPER_ACCESS_TYPE_GPU;
  EXPECT_EQ(call("nvmlSystemGetCPER_v1", &get), NVML_SUCCESS);
  EXPECT_EQ(get.bufferSize, 0U);
  inject("gpu=0 xid 13");
  inject("gpu=1 xid 31");
  EXPECT_EQ(call("nvmlSystemGetCPER_v1", &get), NVML_ERROR_INSUFFICIENT_SIZE);
  const auto all = get.bufferSize;
  ASSERT_GT(all, 0U);
  std::vector<unsigned char> bytes(all / 2);
  get.buffer = bytes.data();
  for (unsigned int xid : {13U, 31U}) {
    get.bufferSize = static_cast<unsigned int>(bytes.size());
    ASSERT_EQ(call("nvmlSystemGetCPER_v1", &get), NVML_SUCCESS);
    ASSERT_EQ(get.bufferSize, all / 2);
    EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 4), "CPER");
    EXPECT_EQ(bytes[20], all / 2 & 0xFF);  // record length
    EXPECT_EQ(bytes[200 + 16], xid);       // the section's error type
  }
  get.bufferSize = static_cast<unsigned int>(bytes.size());
  EXPECT_EQ(call("nvmlSystemGetCPER_v1", &get), NVML_SUCCESS);
  EXPECT_EQ(get.bufferSize, 0U);
  get.cursor.handle = 0;
  get.bufferSize = 8;
  EXPECT_EQ(call("nvmlSystemGetCPER_v1", &get), NVML_ERROR_INSUFFICIENT_SIZE);
}

}  // namespace
}  // namespace nvmlkit::driver_test
