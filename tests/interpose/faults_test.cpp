#include <gtest/gtest.h>

#include "driver.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

using test::driver;
using test::gpu0;

// The results of so many calls of nvmlDeviceGetPowerUsage.
std::vector<int> results_of(std::vector<Fault> faults, int calls, std::uint64_t seed = 1) {
  const auto wrapped = wrap(driver(), FaultInjector::create(std::move(faults), seed).value()).value();
  std::vector<int> results;
  unsigned int milliwatts = 0;
  for (int i = 0; i < calls; ++i) results.push_back(wrapped.table().DeviceGetPowerUsage(gpu0, &milliwatts));
  return results;
}

TEST(Faults, StartAfterSomeCallsAndEndAfterOthers) {
  EXPECT_EQ(results_of({{.function = "nvmlDeviceGetPowerUsage", .result = Errc::timeout, .after = 2, .times = 3}}, 7),
            (std::vector{0, 0, 10, 10, 10, 0, 0}));
}

TEST(Faults, OfOtherFunctionsDoNothing) {
  EXPECT_EQ(results_of({{.function = "nvmlDeviceGetName", .result = Errc::timeout}}, 2), (std::vector{0, 0}));
}

TEST(Faults, TheFirstThatHappensDecides) {
  EXPECT_EQ(results_of({{.function = "nvmlDeviceGetPowerUsage", .result = Errc::timeout, .after = 1},
                        {.function = "", .result = Errc::gpu_is_lost}},
                       3),
            (std::vector{15, 10, 10}));
}

TEST(Faults, OfEveryFunctionSpareInit) {
  const auto faults = FaultInjector::create({{.function = "", .result = Errc::unknown}}).value();
  const auto wrapped = wrap(driver(), faults).value();
  const auto library = Library::from_table(wrapped.table());
  ASSERT_TRUE(library);
  EXPECT_EQ(library->device_count().error().code(), Errc::unknown);
}

TEST(Faults, ChanceIsTheSeeds) {
  const std::vector<Fault> half{{.function = "nvmlDeviceGetPowerUsage", .result = Errc::timeout, .probability = 0.5}};
  const auto first = results_of(half, 1000, 3);
  EXPECT_EQ(first, results_of(half, 1000, 3));
  EXPECT_NE(first, results_of(half, 1000, 4));
  const auto failed = std::count(first.begin(), first.end(), 10);
  EXPECT_GT(failed, 400);
  EXPECT_LT(failed, 600);
}

TEST(Faults, NoChanceAndCertainty) {
  const auto with = [](double probability) {
    return results_of({{.function = "nvmlDeviceGetPowerUsage", .result = Errc::timeout, .probability = probability}},
                      2);
  };
  EXPECT_EQ(with(0), (std::vector{0, 0}));
  EXPECT_EQ(with(1), (std::vector{10, 10}));
}

TEST(Faults, ADelayAloneStillCalls) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(
      results_of({{.function = "nvmlDeviceGetPowerUsage", .times = 1, .delay = std::chrono::milliseconds(20)}}, 3),
      (std::vector{0, 0, 0}));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20));
  EXPECT_EQ(test::power, 100003u);
}

TEST(Faults, MistakesAreRefused) {
  for (const Fault& fault : {Fault{.function = "nvmlDeviceGetNam", .result = Errc::timeout},
                             Fault{.function = "nvmlErrorString", .result = Errc::timeout},
                             Fault{.function = "", .result = Errc::timeout, .probability = 1.5}}) {
    const auto refused = FaultInjector::create({fault});
    ASSERT_FALSE(refused) << fault.function;
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
  }
}

}  // namespace
}  // namespace nvmlkit::nvml::interpose
