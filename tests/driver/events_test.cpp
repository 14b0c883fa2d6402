// Events: who gets which, when, and how often.
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "faults_support.hpp"
#include "sim/events/ring.hpp"

namespace nvmlkit::driver_test {
namespace {

using Clock = std::chrono::steady_clock;

class Events : public Shared {};

TEST_F(Events, AnXidArrivesOnceWithItsNumber) {
  start_shared("h100");
  start_library();
  inject("gpu=0 xid 13");  // before the registration: nobody hears of it
  const auto set = set_for(kXid);
  nvmlEventData_t data{};
  EXPECT_EQ(wait(set, data), NVML_ERROR_TIMEOUT);
  inject("gpu=0 xid 31");
  inject("gpu=1 xid 43");  // not registered
  ASSERT_EQ(wait(set, data), NVML_SUCCESS);
  EXPECT_EQ(data.device, device(0));
  EXPECT_EQ(data.eventType, kXid);
  EXPECT_EQ(data.eventData, 31U);
  EXPECT_EQ(data.gpuInstanceId, 0xFFFFFFFFU);
  EXPECT_EQ(data.computeInstanceId, 0xFFFFFFFFU);
  EXPECT_EQ(wait(set, data), NVML_ERROR_TIMEOUT);
}

TEST_F(Events, EachSetGetsItsOwn) {
  start_shared("h100");
  start_library();
  const auto first = set_for(kXid), second = set_for(kXid), clocks = set_for(EventTypeClock);
  inject("gpu=0 xid 31");
  nvmlEventData_t data{};
  EXPECT_EQ(wait(first, data), NVML_SUCCESS);
  EXPECT_EQ(wait(second, data), NVML_SUCCESS);
  EXPECT_EQ(wait(clocks, data), NVML_ERROR_TIMEOUT);
  EXPECT_EQ(wait(first, data), NVML_ERROR_TIMEOUT);
}

TEST_F(Events, RegisteringMoreAddsFromThenOn) {
  start_shared("h100");
  start_library();
  const auto set = set_for(kXid);
  inject("gpu=0 event clock");
  inject("gpu=1 xid 31");
  EXPECT_EQ(call("nvmlDeviceRegisterEvents", device(0), 16ULL, set), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceRegisterEvents", device(1), kXid, set), NVML_SUCCESS);
  nvmlEventData_t data{};
  EXPECT_EQ(wait(set, data), NVML_ERROR_TIMEOUT);
  inject("gpu=1 xid 43");
  inject("gpu=0 event clock");
  ASSERT_EQ(wait(set, data), NVML_SUCCESS);
  EXPECT_EQ(data.device, device(1));
  ASSERT_EQ(wait(set, data), NVML_SUCCESS);
  EXPECT_EQ(data.eventType, 16U);
}

TEST_F(Events, TypesThatTheGpuLacksAreRefusedWithoutRegisteringAny) {
  start_shared("t4", "1");
  start_library();
  unsigned long long types = 0;
  ASSERT_EQ(call("nvmlDeviceGetSupportedEventTypes", device(), &types), NVML_SUCCESS);
  EXPECT_NE(types & kXid, 0U);
  EXPECT_EQ(types & static_cast<unsigned long long>(EventMigConfigChange), 0U);
  nvmlEventSet_t set = nullptr;
  ASSERT_EQ(call("nvmlEventSetCreate", &set), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceRegisterEvents", device(), kXid | 0x100ULL, set), NVML_ERROR_NOT_SUPPORTED);
  inject("gpu=0 xid 31");
  nvmlEventData_t data{};
  EXPECT_EQ(wait(set, data), NVML_ERROR_TIMEOUT);
}

TEST_F(Events, NewerTypesComeWithNewerDriversAndGpus) {
  const auto supported = [&](const char* machine, const char* driver) {
    setenv("NVMLKIT_DRIVER", driver, 1);
    start(machine);
    unsigned long long types = 0;
    EXPECT_EQ(call("nvmlDeviceGetSupportedEventTypes", device(), &types), NVML_SUCCESS);
    call("nvmlShutdown");
    started_ = false;
    unsetenv("NVMLKIT_DRIVER");
    return static_cast<long long>(types);
  };
  const auto newer = EventTypeDramRetirementEvent | EventTypeNonFatalPoisonError | EventTypeGpuRecoveryAction;
  EXPECT_EQ(supported("h100", "550") & newer, 0);
  EXPECT_EQ(supported("h100", "560") & newer, newer & ~EventTypeGpuRecoveryAction);
  EXPECT_EQ(supported("h100", "580") & newer, newer);
  EXPECT_EQ(supported("a100", "580") & newer, newer & ~EventTypeNonFatalPoisonError);
  EXPECT_EQ(supported("t4", "580") & newer, 0);
  EXPECT_EQ(supported("h100", "580"), 0xFF9F);  // as an H100 told with driver 580.159
}

TEST_F(Events, TheOldWaitWritesTheOldStruct) {
  start_shared("h100");
  start_library();
  const auto set = set_for(kXid);
  inject("gpu=0 xid 31");
  nvmlEventData_t data;
  std::memset(&data, 0xAB, sizeof data);
  ASSERT_EQ(call("nvmlEventSetWait", set, &data, 0U), NVML_SUCCESS);
  EXPECT_EQ(data.eventData, 31U);
  EXPECT_EQ(data.gpuInstanceId, 0xABABABABU);
}

TEST_F(Events, TheRingForgetsTheOldestOnly) {
  start_shared("h100");
  start_library();
  const auto set = set_for(kXid);
  const auto capacity = sim::events::Ring::kCapacity;
  for (std::size_t i = 0; i < capacity + 10; ++i) inject("gpu=0 xid " + std::to_string(i < 10 ? 8 : 13));
  nvmlEventData_t data{};
  for (std::size_t i = 0; i < capacity; ++i) {
    ASSERT_EQ(wait(set, data), NVML_SUCCESS) << i;
    ASSERT_EQ(data.eventData, 13U) << i;
  }
  EXPECT_EQ(wait(set, data), NVML_ERROR_TIMEOUT);
}

TEST_F(Events, FreeingASetEndsItsWait) {
  start("h100");
  const auto set = set_for(kXid);
  std::thread freer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(call("nvmlEventSetFree", set), NVML_SUCCESS);
  });
  nvmlEventData_t data{};
  EXPECT_EQ(wait(set, data, 10'000), NVML_ERROR_INVALID_ARGUMENT);
  freer.join();
}

TEST_F(Events, ShutdownEndsAWait) {
  start("h100");
  const auto set = set_for(kXid);
  std::thread ender([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(call("nvmlShutdown"), NVML_SUCCESS);
  });
  nvmlEventData_t data{};
  EXPECT_EQ(wait(set, data, 10'000), NVML_ERROR_UNINITIALIZED);
  ender.join();
  started_ = false;
}

TEST_F(Events, SettersRaiseThem) {
  start_shared("h100");
  start_library();
  const auto set = set_for(static_cast<unsigned long long>(EventTypeClock));
  nvmlEventData_t data{};
  ASSERT_EQ(call("nvmlDeviceSetGpuLockedClocks", device(), 345U, 1200U), NVML_SUCCESS);
  EXPECT_EQ(wait(set, data), NVML_SUCCESS);
  EXPECT_NE(call("nvmlDeviceSetGpuLockedClocks", device(), 900U, 345U), NVML_SUCCESS);
  EXPECT_EQ(wait(set, data), NVML_ERROR_TIMEOUT);  // refused, so nothing happened
}

TEST_F(Events, OneXidWakesSixtyFourProcesses) {
  start_shared("h100");
  constexpr int kProcesses = 64;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (call("nvmlInit_v2") != NVML_SUCCESS) _exit(2);
      const auto set = set_for(kXid);
      if (write(ready[1], "x", 1) != 1) _exit(3);
      nvmlEventData_t data{};
      const auto result = wait(set, data, 60'000);
      _exit(result == NVML_SUCCESS && data.eventData == 31 && wait(set, data) == NVML_ERROR_TIMEOUT ? 0 : 1);
    }
    children.push_back(child);
  }
  for (int i = 0; i < kProcesses; ++i) {
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
  }
  for (int i = 0; i < 8; ++i) kill(children[static_cast<std::size_t>(i)], SIGKILL);  // they must not matter
  inject("gpu=0 xid 31");
  for (int i = 0; i < kProcesses; ++i) {
    int status = 0;
    waitpid(children[static_cast<std::size_t>(i)], &status, 0);
    const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    EXPECT_TRUE(good || i < 8) << i << " ended with " << status;
  }
  close(ready[0]);
  close(ready[1]);
}

TEST_F(Events, SystemEventsTellOfRemovedGpus) {
  start_shared("h100");
  start_library();
  nvmlSystemEventSetCreateRequest_t create{version_tag<nvmlSystemEventSetCreateRequest_t>, nullptr};
  ASSERT_EQ(call("nvmlSystemEventSetCreate", &create), NVML_SUCCESS);
  nvmlSystemRegisterEventRequest_t wanted{version_tag<nvmlSystemRegisterEventRequest_t>, 3, create.set};
  ASSERT_EQ(call("nvmlSystemRegisterEvents", &wanted), NVML_SUCCESS);
  nvmlPciInfo_t pci{};
  ASSERT_EQ(call("nvmlDeviceGetPciInfo_v3", device(0), &pci), NVML_SUCCESS);
  ASSERT_EQ(call("nvmlDeviceSetPersistenceMode", device(0), NVML_FEATURE_DISABLED), NVML_SUCCESS);
  ASSERT_EQ(call("nvmlDeviceRemoveGpu_v2", &pci, NVML_DETACH_GPU_REMOVE, NVML_PCIE_LINK_KEEP), NVML_SUCCESS);
  ASSERT_EQ(call("nvmlDeviceDiscoverGpus", &pci), NVML_SUCCESS);
  nvmlSystemEventData_v1_t data[4]{};
  nvmlSystemEventSetWaitRequest_t request{version_tag<nvmlSystemEventSetWaitRequest_t>, 0, create.set, data, 4, 0};
  ASSERT_EQ(call("nvmlSystemEventSetWait", &request), NVML_SUCCESS);
  ASSERT_EQ(request.numEvent, 2U);
  EXPECT_EQ(data[0].eventType, 1U);
  EXPECT_EQ(data[1].eventType, 2U);
  EXPECT_EQ(data[0].gpuId, pci.domain << 16 | pci.bus << 8 | pci.device);
  EXPECT_EQ(call("nvmlSystemEventSetWait", &request), NVML_ERROR_TIMEOUT);
  EXPECT_EQ(call("nvmlEventSetFree", reinterpret_cast<nvmlEventSet_t>(create.set)), NVML_ERROR_INVALID_ARGUMENT);
  nvmlSystemEventSetFreeRequest_t free{version_tag<nvmlSystemEventSetFreeRequest_t>, create.set};
  EXPECT_EQ(call("nvmlSystemEventSetFree", &free), NVML_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::driver_test
