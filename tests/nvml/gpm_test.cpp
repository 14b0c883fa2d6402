// GPM: samples as owners, sessions, and metrics one by one.
#include <gtest/gtest.h>

#include <set>

#include "fake_table.hpp"

namespace nvmlkit::nvml {
namespace {

// What the fake driver saw.
struct Fake {
  std::set<std::uintptr_t> samples;
  std::uintptr_t next = 0x5000;
  std::vector<unsigned int> asked;      // metrics of each request
  std::vector<unsigned int> instances;  // of each MIG sample
  std::vector<std::pair<abi::nvmlGpmSample_t, abi::nvmlGpmSample_t>> pairs;
  int takes = 0;
  bool broken = false;
};
Fake fake;

Table gpm_table() {
  fake = {};
  Table table = test::fake_table();
  table.GpmSampleAlloc = [](abi::nvmlGpmSample_t* sample) {
    fake.samples.insert(++fake.next);
    *sample = reinterpret_cast<abi::nvmlGpmSample_t>(fake.next);
    return abi::NVML_SUCCESS;
  };
  table.GpmSampleFree = [](abi::nvmlGpmSample_t sample) {
    return fake.samples.erase(reinterpret_cast<std::uintptr_t>(sample)) ? abi::NVML_SUCCESS
                                                                        : abi::NVML_ERROR_INVALID_ARGUMENT;
  };
  table.GpmSampleGet = [](abi::nvmlDevice_t, abi::nvmlGpmSample_t) {
    ++fake.takes;
    return fake.broken ? abi::NVML_ERROR_GPU_IS_LOST : abi::NVML_SUCCESS;
  };
  table.GpmMigSampleGet = [](abi::nvmlDevice_t, unsigned int instance, abi::nvmlGpmSample_t) {
    fake.instances.push_back(instance);
    return abi::NVML_SUCCESS;
  };
  // As a driver of the first header with GPM: room for 98 metrics, whatever the caller's header says.
  table.GpmMetricsGet = [](abi::nvmlGpmMetricsGet_t* get) {
    if (get->version != 1) return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (get->numMetrics > 98) return abi::NVML_ERROR_INVALID_ARGUMENT;
    fake.asked.push_back(get->numMetrics);
    fake.pairs.emplace_back(get->sample1, get->sample2);
    for (unsigned int i = 0; i < get->numMetrics; ++i) {
      auto& metric = get->metrics[i];
      static char name[] = "SM_UTIL", text[] = "SM Utilization", unit[] = "%";
      metric.nvmlReturn = metric.metricId < 97 ? abi::NVML_SUCCESS : abi::NVML_ERROR_INVALID_ARGUMENT;
      metric.value = 0.5 + metric.metricId;
      if (metric.metricId < 97) metric.metricInfo = {name, text, unit};
    }
    return abi::NVML_SUCCESS;
  };
  return table;
}

constexpr GpmMetricId id(unsigned int number) { return GpmMetricId(number); }

TEST(Gpm, SamplesAreFreedOnce) {
  const Library library = Library::from_table(gpm_table()).value();
  {
    auto a = GpmSample::create(library).value();
    auto b = GpmSample::create(library).value();
    GpmSample moved = std::move(a);
    b = std::move(moved);
    EXPECT_EQ(fake.samples.size(), 2u);
  }
  EXPECT_TRUE(fake.samples.empty());
}

TEST(Gpm, ASampleMayOutliveItsLibrary) {
  Library library = Library::from_table(gpm_table()).value();
  auto sample = GpmSample::create(library).value();
  ASSERT_TRUE(library.close());
  EXPECT_EQ(sample.take(Device(library.session(), test::device_handle(0))).error().code(), Errc::library_closed);
}

TEST(Gpm, MetricsCarryTheirOwnResultAndTexts) {
  const Device gpu = Library::from_table(gpm_table()).value().device(0).value();
  auto session = GpmSession::start(gpu).value();
  const GpmMetricId ids[] = {id(2), id(300)};
  const auto metrics = session.read(ids).value();
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].value.value(), 2.5);
  EXPECT_EQ(metrics[0].short_name, "SM_UTIL");
  EXPECT_EQ(metrics[0].long_name, "SM Utilization");
  EXPECT_EQ(metrics[0].unit, "%");
  EXPECT_EQ(metrics[1].value.error().code(), Errc::invalid_argument);
  EXPECT_EQ(metrics[1].unit, "");
}

TEST(Gpm, MoreMetricsThanADriverTakesAreSeveralRequests) {
  const Device gpu = Library::from_table(gpm_table()).value().device(0).value();
  auto session = GpmSession::start(gpu).value();
  std::vector<GpmMetricId> ids;
  for (unsigned int i = 0; i < 333; ++i) ids.push_back(id(i));
  const auto metrics = session.read(ids).value();
  ASSERT_EQ(metrics.size(), 333u);
  EXPECT_EQ(fake.asked, (std::vector<unsigned int>{98, 98, 98, 39}));
  for (unsigned int i = 0; i < 333; ++i) {
    EXPECT_EQ(metrics[i].id, id(i));
    EXPECT_EQ(metrics[i].value.has_value(), i < 97) << i;
    if (i < 97) {
      EXPECT_EQ(metrics[i].value.value(), 0.5 + i);
    }
  }
}

TEST(Gpm, EachReadStartsWhereTheLastEnded) {
  const Device gpu = Library::from_table(gpm_table()).value().device(0).value();
  auto session = GpmSession::start(gpu).value();
  const GpmMetricId ids[] = {id(1)};
  ASSERT_TRUE(session.read(ids));
  fake.broken = true;
  EXPECT_EQ(session.read(ids).error().code(), Errc::gpu_is_lost);
  fake.broken = false;
  ASSERT_TRUE(session.read(ids));
  ASSERT_EQ(fake.pairs.size(), 2u);
  EXPECT_EQ(fake.pairs[1].first, fake.pairs[0].second);
  EXPECT_EQ(fake.pairs[1].second, fake.pairs[0].first);
  EXPECT_EQ(fake.takes, 4);
}

TEST(Gpm, ASessionOfAGpuInstanceSamplesThatInstance) {
  const Device gpu = Library::from_table(gpm_table()).value().device(0).value();
  auto session = GpmSession::start(gpu, 5).value();
  ASSERT_TRUE(session.read({}));
  EXPECT_EQ(fake.instances, (std::vector<unsigned int>{5, 5}));
}

TEST(Gpm, IsNotThereOnOldDrivers) {
  const Device gpu = Library::from_table(test::fake_table()).value().device(0).value();
  EXPECT_EQ(GpmSession::start(gpu).error().code(), Errc::function_not_found);
}

}  // namespace
}  // namespace nvmlkit::nvml
