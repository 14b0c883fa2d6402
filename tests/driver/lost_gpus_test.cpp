// Event sets when a GPU is lost: which wait reports it, and how often.
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "faults_support.hpp"

namespace nvmlkit::driver_test {
namespace {

using WaitClock = std::chrono::steady_clock;

class LostGpus : public Shared {
 protected:
  nvmlEventSet_t set_for_all(unsigned int gpus) {
    const auto set = set_for(kXid);
    for (unsigned int i = 1; i < gpus; ++i) {
      EXPECT_EQ(call("nvmlDeviceRegisterEvents", device(i), kXid, set), NVML_SUCCESS);
    }
    return set;
  }
};

TEST_F(LostGpus, ALostGpuEndsOneWait) {
  start_shared("h100");
  start_library();
  const auto set = set_for(kXid), other = set_for(kXid, 1);
  nvmlEventData_t data{};
  std::thread breaker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    inject("gpu=0 lost");
  });
  const auto before = WaitClock::now();
  EXPECT_EQ(wait(set, data, 10'000), NVML_ERROR_GPU_IS_LOST);
  breaker.join();
  EXPECT_LT(WaitClock::now() - before, std::chrono::seconds(5));
  EXPECT_EQ(wait(other, data), NVML_ERROR_TIMEOUT);
  EXPECT_EQ(wait(set, data), NVML_ERROR_TIMEOUT);
  inject("gpu=0 off-bus");  // not a second loss
  EXPECT_EQ(wait(set, data), NVML_ERROR_TIMEOUT);
  heal("gpu=0");
  inject("gpu=0 xid 31");
  inject("gpu=0 lost");
  EXPECT_EQ(wait(set, data), NVML_SUCCESS);  // first the events, then the loss
  EXPECT_EQ(wait(set, data), NVML_ERROR_GPU_IS_LOST);
}

TEST_F(LostGpus, AnXidReportsTheLossOfItsGpu) {
  start_shared("h100");
  start_library();
  const auto set = set_for(kXid), clocks = set_for(EventTypeClock);
  inject("gpu=0 xid 79");
  nvmlEventData_t data{};
  ASSERT_EQ(wait(set, data), NVML_SUCCESS);
  EXPECT_EQ(data.eventData, 79U);
  char uuid[96];
  EXPECT_EQ(call("nvmlDeviceGetUUID", data.device, uuid, 96U), NVML_SUCCESS);
  EXPECT_EQ(wait(set, data), NVML_ERROR_TIMEOUT);
  EXPECT_EQ(wait(clocks, data), NVML_ERROR_GPU_IS_LOST);  // it did not register Xids
  EXPECT_EQ(wait(clocks, data), NVML_ERROR_TIMEOUT);
}

TEST_F(LostGpus, AGpuThatNeedsAResetEndsNoWait) {
  start_shared("h100");
  start_library();
  const auto set = set_for(kXid);
  inject("gpu=0 reset-required");
  nvmlEventData_t data{};
  EXPECT_EQ(wait(set, data), NVML_ERROR_TIMEOUT);
}

TEST_F(LostGpus, NoTwoWaitsInARowEndWithoutAnEvent) {
  start_shared("h100", "4");
  start_library();
  const auto set = set_for_all(4);
  inject("gpu=0 lost");
  inject("gpu=1 lost");
  nvmlEventData_t data{};
  EXPECT_EQ(wait(set, data), NVML_ERROR_GPU_IS_LOST);  // both
  inject("gpu=2 lost");
  const auto before = WaitClock::now();
  EXPECT_EQ(wait(set, data, 50), NVML_ERROR_TIMEOUT);
  EXPECT_GE(WaitClock::now() - before, std::chrono::milliseconds(50));
  EXPECT_EQ(wait(set, data, 10'000), NVML_ERROR_GPU_IS_LOST);
  inject("gpu=3 xid 31");
  inject("gpu=3 lost");
  EXPECT_EQ(wait(set, data, 10'000), NVML_SUCCESS);
  EXPECT_EQ(wait(set, data, 10'000), NVML_ERROR_GPU_IS_LOST);
  EXPECT_EQ(wait(set, data), NVML_ERROR_TIMEOUT);
}

// The loop of a health check, with a tenth of its time: waits of half a second, for a second.
TEST_F(LostGpus, AHealthCheckLosesOneGpuOfEight) {
  start_shared("h100", "8");
  start_library();
  const auto set = set_for_all(8);
  std::vector<std::pair<nvmlDevice_t, unsigned long long>> xids;
  int returns = 0;
  const auto lost = device(3), later = device(5);
  inject("gpu=3 xid 79");
  for (const auto end = WaitClock::now() + std::chrono::seconds(1); WaitClock::now() < end; ++returns) {
    nvmlEventData_t data{};
    const auto result = wait(set, data, 500);
    if (result == NVML_SUCCESS) xids.emplace_back(data.device, data.eventData);
    if (result == NVML_SUCCESS && xids.size() == 1) inject("gpu=5 xid 13");
    EXPECT_TRUE(result == NVML_SUCCESS || result == NVML_ERROR_TIMEOUT) << result;
  }
  EXPECT_LT(returns, 10);
  const std::vector<std::pair<nvmlDevice_t, unsigned long long>> expected = {{lost, 79}, {later, 13}};
  EXPECT_EQ(xids, expected);
}

}  // namespace
}  // namespace nvmlkit::driver_test
