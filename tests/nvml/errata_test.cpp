// Field ids, process lists and the list of errata, against tables that behave as five generations of drivers do.
#include <gtest/gtest.h>

#include <map>
#include <nvmlkit/detail/errata.hpp>
#include <set>

#include "fake_table.hpp"

namespace nvmlkit::nvml {
namespace {

using test::device_of;
using test::fake_table;

// What the fake driver says, and what it counts under each id on the wire.
struct Fake {
  std::string version;
  int asked_for_version = 0;
  std::map<unsigned int, unsigned long long> fields;
};
Fake fake;

Table driver(const char* version, std::map<unsigned int, unsigned long long> fields = {}) {
  fake = {version, 0, std::move(fields)};
  Table table = fake_table();
  table.SystemGetDriverVersion = [](char* text, unsigned int length) {
    ++fake.asked_for_version;
    if (fake.version.empty()) return abi::NVML_ERROR_UNKNOWN;
    std::strncpy(text, fake.version.c_str(), length);
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetFieldValues = [](abi::nvmlDevice_t, int count, abi::nvmlFieldValue_t* values) {
    for (int i = 0; i < count; ++i) {
      const auto field = fake.fields.find(values[i].fieldId);
      values[i].nvmlReturn = field == fake.fields.end() ? abi::NVML_ERROR_INVALID_ARGUMENT : abi::NVML_SUCCESS;
      values[i].valueType = abi::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
      if (field != fake.fields.end()) values[i].value.ullVal = field->second;
    }
    return abi::NVML_SUCCESS;
  };
  return table;
}

std::uint64_t number(const FieldValue& value) { return std::get<std::uint64_t>(value.value.value()); }

constexpr FieldQuery kQueries[] = {{FieldId::dev_ecc_current},
                                   {FieldId::dev_is_mig_mode_independent_mig_query_capable},
                                   {FieldId::dev_nvlink_get_power_threshold_max},
                                   {FieldId::pwr_smoothing_enabled},
                                   {FieldId::dev_clocks_event_reason_sw_therm_slowdown},
                                   {FieldId::dev_power_sync_balancing_af}};

// The same six fields under the ids of each generation; 1000 + n is the value of the n-th.
struct Generation {
  const char* version;
  std::map<unsigned int, unsigned long long> fields;
};
const Generation kGenerations[] = {
    {"535.54.03", {{1, 1000}}},
    {"550.163.01", {{1, 1000}, {199, 1001}}},
    {"560.35.05", {{1, 1000}, {200, 1001}, {199, 1002}}},
    {"570.86.10", {{1, 1000}, {199, 1001}, {200, 1002}, {251, 1003}}},
    {"575.57.08", {{1, 1000}, {199, 1001}, {200, 1002}, {256, 1003}, {251, 1004}, {255, 1005}}},
    {"580.65.06", {{1, 1000}, {199, 1001}, {200, 1002}, {256, 1003}, {251, 1004}, {255, 1005}}},
    {"580.82.07", {{1, 1000}, {199, 1001}, {200, 1002}, {251, 1003}, {269, 1004}, {273, 1005}}},
    {"590.44.01", {{1, 1000}, {199, 1001}, {200, 1002}, {251, 1003}, {269, 1004}, {273, 1005}}},
};

class FieldIds : public testing::TestWithParam<Generation> {};

TEST_P(FieldIds, MeanTheSameOnEveryDriver) {
  const auto& generation = GetParam();
  const auto values = device_of(driver(generation.version, generation.fields)).field_values(kQueries).value();
  ASSERT_EQ(values.size(), std::size(kQueries));
  for (std::size_t i = 0; i < values.size(); ++i) {
    bool has = false;
    for (const auto& [wire, value] : generation.fields) has = has || value == 1000 + i;
    // What the driver has answers with its own value, and nothing else ever answers in its place.
    ASSERT_EQ(values[i].value.has_value(), has) << to_string(kQueries[i].id);
    if (has) {
      EXPECT_EQ(number(values[i]), 1000 + i) << to_string(kQueries[i].id);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Drivers, FieldIds, testing::ValuesIn(kGenerations), [](const auto& each) {
  return "R" + std::string(each.param.version).substr(0, 3) + std::to_string(each.index);
});

TEST(Errata, TheVersionIsAskedForOnce) {
  const Device device = device_of(driver("580.65.06", {{256, 1}}));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(device.field_values(std::span(kQueries, 4)));
  EXPECT_EQ(fake.asked_for_version, 1);
}

TEST(Errata, WithoutAVersionOnlyTheIdsThatNeverMovedAreSent) {
  for (const char* version : {"", "unknown", "580.x"}) {
    const auto values =
        device_of(driver(version, {{1, 7}, {199, 1}, {251, 2}, {256, 3}})).field_values(kQueries).value();
    EXPECT_EQ(number(values[0]), 7u);
    for (std::size_t i = 1; i < values.size(); ++i) {
      EXPECT_EQ(values[i].value.error().code(), Errc::not_supported) << version << i;
      EXPECT_NE(values[i].value.error().detail().find("differs between drivers"), std::string::npos);
    }
  }
}

TEST(Errata, RawIdsGoAsTheyAreAndNumbersOfNvidiaAreRefused) {
  const FieldQuery queries[] = {{raw_field_id(251)}, {static_cast<FieldId>(251)}};
  const auto values = device_of(driver("580.65.06", {{251, 44}})).field_values(queries).value();
  EXPECT_EQ(number(values[0]), 44u);
  EXPECT_EQ(values[1].value.error().code(), Errc::invalid_argument);
  EXPECT_EQ(to_string(raw_field_id(251)), "field 251");
  EXPECT_EQ(to_string(FieldId::dev_memory_temp), "NVML_FI_DEV_MEMORY_TEMP");
}

TEST(Errata, ClearingTranslatesToo) {
  static std::vector<unsigned int> ids;
  ids.clear();
  Table table = driver("575.57.08");
  table.DeviceClearFieldValues = [](abi::nvmlDevice_t, int count, abi::nvmlFieldValue_t* values) {
    for (int i = 0; i < count; ++i) {
      ids.push_back(values[i].fieldId);
      values[i].nvmlReturn = i == 0 ? abi::NVML_SUCCESS : abi::NVML_ERROR_NO_PERMISSION;
    }
    return abi::NVML_SUCCESS;
  };
  const auto done = device_of(table).clear_field_values(std::span(kQueries).subspan(3, 2)).value();
  EXPECT_EQ(ids, (std::vector<unsigned int>{256, 251}));
  EXPECT_TRUE(done[0]);
  EXPECT_EQ(done[1].error().code(), Errc::no_permission);
}

TEST(Errata, ValuesAreTypedByWhatTheDriverSays) {
  Table table = driver("550.163.01");
  table.DeviceGetFieldValues = [](abi::nvmlDevice_t, int, abi::nvmlFieldValue_t* values) {
    for (int i = 0; i < 4; ++i) {
      values[i].nvmlReturn = abi::NVML_SUCCESS;
      values[i].timestamp = 1'700'000'000'000'000;
      values[i].latencyUsec = 5;
    }
    values[0].valueType = abi::NVML_VALUE_TYPE_DOUBLE;
    values[0].value.dVal = 1.5;
    values[1].valueType = abi::NVML_VALUE_TYPE_SIGNED_INT;
    values[1].value.siVal = -3;
    values[2].valueType = abi::NVML_VALUE_TYPE_UNSIGNED_SHORT;
    values[2].value.ullVal = 0xFFFF0007U;
    values[3].valueType = static_cast<abi::nvmlValueType_t>(77);
    return abi::NVML_SUCCESS;
  };
  const FieldQuery query{FieldId::dev_ecc_current};
  const FieldQuery queries[] = {query, query, query, query};
  const auto values = device_of(table).field_values(queries).value();
  EXPECT_EQ(std::get<double>(values[0].value.value()), 1.5);
  EXPECT_EQ(std::get<std::int64_t>(values[1].value.value()), -3);
  EXPECT_EQ(number(values[2]), 7u);
  EXPECT_EQ(values[3].value.error().code(), Errc::malformed_answer);
  EXPECT_EQ(values[0].timestamp.count(), 1'700'000'000'000'000);
  EXPECT_EQ(values[0].latency.count(), 5);
  EXPECT_EQ(as_double(values[1].value.value()), -3.0);
}

std::set<std::string> active(const char* version) {
  std::set<std::string> ids;
  for (const auto& erratum : Library::from_table(driver(version)).value().active_errata().value())
    ids.insert(erratum.id);
  return ids;
}

TEST(Errata, AreListedWithTheReason) {
  using Ids = std::set<std::string>;
  EXPECT_EQ(active("535.54.03"), (Ids{"process-info-stride", "gpm-metrics-98"}));
  EXPECT_EQ(active("535.98"), (Ids{"gpm-metrics-98"}));
  EXPECT_EQ(active("550.163.01"), (Ids{"gpm-metrics-98", "fabric-info-v2", "vgpu-placement-v1"}));
  EXPECT_EQ(active("560.35.05"), (Ids{"field-ids-12.5", "gpm-metrics-98", "fabric-info-v2", "vgpu-placement-v1"}));
  EXPECT_EQ(active("575.57.08"), (Ids{"field-ids-12.9", "gpm-metrics-210", "fabric-info-v2"}));
  EXPECT_EQ(active("580.65.06"), (Ids{"field-ids-12.9", "gpm-metrics-210"}));
  EXPECT_EQ(active("610.10"), (Ids{"gpm-metrics-333"}));
  EXPECT_EQ(active("615.71.09"), Ids{});
  const auto errata = Library::from_table(driver("535.54.03")).value().active_errata().value();
  EXPECT_EQ(errata.front().why, "driver 535.54.03 is one of 535 <= version < 535.98");
  EXPECT_FALSE(std::string(errata.front().handled).empty());
}

TEST(Errata, AVersionThatIsNoneIsAnError) {
  EXPECT_EQ(Library::from_table(driver("latest")).value().active_errata().error().code(), Errc::malformed_answer);
  EXPECT_EQ(Library::from_table(driver("")).value().active_errata().error().code(), Errc::unknown);
}

// A driver with `count` processes that writes entries of `stride` bytes.
std::size_t stride = 24;
unsigned int processes = 0;
Table process_table(std::size_t entry, unsigned int count) {
  stride = entry;
  processes = count;
  Table table = fake_table();
  table.DeviceGetComputeRunningProcesses_v3 = [](abi::nvmlDevice_t, unsigned int* capacity,
                                                 abi::nvmlProcessInfo_t* array) {
    const bool fits = *capacity >= processes;
    *capacity = processes;
    if (!fits) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    for (unsigned int i = 0; i < processes; ++i) {
      struct Long {
        abi::nvmlProcessInfo_v2_t info;
        unsigned long long protected_memory;
      } full{{1000 + i, 5000 + i, ~0U, ~0U}, i % 2 ? ~0ULL : 0};
      std::memcpy(reinterpret_cast<char*>(array) + i * stride, &full, stride);
    }
    return abi::NVML_SUCCESS;
  };
  return table;
}

TEST(Errata, ProcessListsOfBothStridesReadTheSame) {
  for (const std::size_t entry : {std::size_t{24}, std::size_t{32}})
    for (const unsigned int count : {0U, 1U, 2U, 3U, 7U, 100U, 1000U}) {
      const auto list = device_of(process_table(entry, count)).compute_running_processes().value();
      ASSERT_EQ(list.size(), count);
      for (unsigned int i = 0; i < count; ++i) {
        ASSERT_EQ(list[i].pid, 1000 + i) << entry << ' ' << count;
        ASSERT_EQ(list[i].used_gpu_memory, Bytes(5000 + i)) << entry << ' ' << count;
      }
    }
}

TEST(DriverVersion, ReadsWhatDriversSay) {
  EXPECT_EQ(detail::pack_driver_version("580.82.07"), 580082007u);
  EXPECT_EQ(detail::pack_driver_version("535.98"), 535098000u);
  EXPECT_EQ(detail::pack_driver_version("610"), 610000000u);
  for (const char* text : {"", ".", "580.", "580.82.07.1", "580.82-rc", "0.1", "v580", "1000.1", "580.1000"})
    EXPECT_EQ(detail::pack_driver_version(text), 0u) << text;
}

}  // namespace
}  // namespace nvmlkit::nvml
