// Run under the thread sanitizer in the tsan preset.
#include <gtest/gtest.h>

#include <sstream>
#include <thread>

#include "driver.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

constexpr int kThreads = 8;
constexpr int kCalls = 300;

template <class Work>
void in_threads(Work work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&work] {
      for (int call = 0; call < kCalls; ++call) work();
    });
  for (auto& thread : threads) thread.join();
}

TEST(Threads, ShareAllHooksAtOnce) {
  std::ostringstream text, trace;
  const Table inner = test::driver();
  const auto faults =
      FaultInjector::create({{.function = "nvmlDeviceGetPowerUsage", .result = Errc::timeout, .times = 100}}).value();
  const auto histogram = std::make_shared<LatencyHistogram>();
  const auto failing = wrap(inner, faults).value();
  const auto timed = wrap(failing.table(), histogram).value();
  const auto recorded = wrap(timed.table(), std::make_shared<Recorder>(timed.table(), trace)).value();
  const auto logged = wrap(recorded.table(), std::make_shared<CallLog>(text)).value();
  std::atomic<int> timeouts = 0;
  in_threads([&] {
    unsigned int milliwatts = 0;
    timeouts += logged.table().DeviceGetPowerUsage(test::gpu0, &milliwatts) == abi::NVML_ERROR_TIMEOUT;
    static_cast<void>(histogram->summary());
  });
  EXPECT_EQ(timeouts, 100);
  EXPECT_EQ(faults->count(0), 100u);
  EXPECT_EQ(histogram->of("nvmlDeviceGetPowerUsage").count, kThreads * kCalls);
  const std::string lines = text.str();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), kThreads * kCalls);
  std::istringstream played(trace.str());
  EXPECT_TRUE(Replay::from_stream(played));
}

TEST(Threads, TheLockLetsOneInAtATime) {
  static int inside;  // plain on purpose: the sanitizer and the count find a second one
  static int calls;
  inside = calls = 0;
  Table inner = test::driver();
  inner.DeviceGetIndex = [](abi::nvmlDevice_t, unsigned int* index) {
    *index = static_cast<unsigned int>(++inside);
    ++calls;
    --inside;
    return abi::NVML_SUCCESS;
  };
  const auto wrapped = wrap(inner, std::make_shared<SerializingLock>()).value();
  in_threads([&] {
    unsigned int index = 0;
    wrapped.table().DeviceGetIndex(test::gpu0, &index);
    EXPECT_EQ(index, 1u);
  });
  EXPECT_EQ(calls, kThreads * kCalls);
}

TEST(Threads, WrapAndUnwrapWhileOthersCall) {
  const auto steady = wrap(test::driver(), std::make_shared<LatencyHistogram>()).value();
  in_threads([&] {
    const auto own = wrap(steady.table(), std::make_shared<SerializingLock>());
    ASSERT_TRUE(own);
    unsigned int index = 7;
    EXPECT_EQ(own->table().DeviceGetIndex(test::gpu0, &index), abi::NVML_SUCCESS);
    EXPECT_EQ(index, 0u);
  });
}

}  // namespace
}  // namespace nvmlkit::nvml::interpose
