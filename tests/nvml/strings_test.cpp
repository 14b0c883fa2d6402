// Texts of every enum, of masks and of values, and the formatters.
#include <gtest/gtest.h>

#include <nvmlkit/fmt.hpp>
#include <nvmlkit/nvml.hpp>
#include <nvmlkit/registry.hpp>
#include <set>

#include "generated/all_values.hpp"

namespace nvmlkit::nvml {
namespace {

static_assert(std::size(functions) == kSymbolCount);
static_assert(find_function("nvmlDeviceGetPowerUsage")->unit == "mW");
static_assert(find_function("nvmlDeviceGetMemoryInfo")->newest == "nvmlDeviceGetMemoryInfo_v2");
static_assert(find_function("nvmlDeviceGetMemoryInfo")->method == "Device::memory_info");
static_assert(find_function("nvmlDeviceSetPersistenceMode")->access == Access::root);
static_assert(find_function("nvmlDeviceSetPersistenceMode")->changes && !find_function("nvmlDeviceGetUUID")->changes);
static_assert(find_function("nvmlDeviceGetUuid") == nullptr);
static_assert(enumerator_name(abi::NVML_BRAND_TESLA) == "NVML_BRAND_TESLA");
static_assert(enumerator_name(static_cast<abi::nvmlBrandType_t>(777)).empty());
static_assert(enumerators<int>.empty());

TEST(Registry, SaysAtCompileTimeWhatTheTableSaysAtRunTime) {
  std::size_t with_method = 0, with_unit = 0;
  for (std::size_t i = 0; i < std::size(functions); ++i) {
    const Symbol& symbol = symbols()[i];
    EXPECT_EQ(functions[i].name, symbol.name);
    EXPECT_EQ(functions[i].since, symbol.since) << symbol.name;
    EXPECT_EQ(functions[i].exported_by, symbol.exported_by) << symbol.name;
    EXPECT_EQ(functions[i].deprecated, symbol.deprecated) << symbol.name;
    EXPECT_NE(find_symbol(functions[i].newest), nullptr) << symbol.name;
    // What no header declares has no method, and nobody to say what it does.
    EXPECT_EQ(functions[i].method.empty(), functions[i].since.empty()) << symbol.name;
    EXPECT_TRUE(functions[i].since.empty() || !functions[i].doc.empty()) << symbol.name;
    with_method += !functions[i].method.empty();
    with_unit += !functions[i].unit.empty();
  }
  EXPECT_EQ(with_method, 413u);
  EXPECT_GT(with_unit, 30u);
  std::set<FieldId> ids;
  for (const FieldFacts& field : fields) EXPECT_TRUE(ids.insert(field.id).second) << field.name;
  EXPECT_GT(ids.size(), 250u);
}

// Every name goes to a text and back, and so does a number that no header knows.
template <class Enum>
int go_through() {
  const EnumTable& table = enum_table(Enum{});
  std::set<long long> known;
  for (const auto& each : table.names) {
    const auto value = static_cast<Enum>(each.number);
    EXPECT_EQ(from_string<Enum>(each.name), value) << each.name;
    EXPECT_EQ(from_string<Enum>(to_string(value)), value) << each.name;
    EXPECT_EQ(std::string(each.name).rfind("NVML_", 0), 0u) << each.name;
    known.insert(each.number);
  }
  long long unknown = 76;
  while (known.count(unknown)) ++unknown;
  const std::string text = to_string(static_cast<Enum>(unknown));
  EXPECT_EQ(text, table.prefix + ("(" + std::to_string(unknown) + ")"));
  EXPECT_EQ(from_string<Enum>(text), static_cast<Enum>(unknown));
  EXPECT_EQ(fmt::format("{}", static_cast<Enum>(unknown)), text);
  return static_cast<int>(table.names.size());
}

template <class... Enums>
int go_through_all(std::tuple<Enums...>) {
  return (go_through<Enums>() + ...);
}

TEST(Strings, EveryEnum) {
  EXPECT_GE(std::tuple_size_v<test::AllEnums>, 62u);
  EXPECT_GE(go_through_all(test::AllEnums{}), 550);
}

TEST(Strings, NamesAreThoseOfTheHeader) {
  EXPECT_EQ(to_string(abi::NVML_BRAND_TESLA), "NVML_BRAND_TESLA");
  EXPECT_EQ(to_string(static_cast<abi::nvmlBrandType_t>(77)), "NVML_BRAND(77)");
  EXPECT_EQ(to_string(abi::NVML_PSTATE_0), "NVML_PSTATE_0");
  EXPECT_EQ(to_string(abi::NVML_ERROR_NOT_SUPPORTED), "NVML_ERROR_NOT_SUPPORTED");
}

TEST(Strings, WhatIsNoTextOfAnEnum) {
  for (const char* text : {"", "NVML_BRAND", "NVML_BRAND()", "NVML_BRAND(x)", "NVML_BRAND(7", "NVML_BRAND(7) ",
                           "NVML_BRAND(7x)", "TESLA", "NVML_BRAND(99999999999999999999)"})
    EXPECT_FALSE(from_string<abi::nvmlBrandType_t>(text)) << text;
}

TEST(Strings, MasksNameTheirBitsAndKeepTheRest) {
  EXPECT_EQ(to_string(ClocksEventReasons()), "None");
  EXPECT_EQ(to_string(ClocksEventReasons(5)), "GpuIdle|SwPowerCap");
  EXPECT_EQ(to_string(ClocksEventReasons(8)), "HwSlowdown");
  EXPECT_EQ(to_string(ClocksEventReasons(1ULL << 40 | 1)), "GpuIdle|0x10000000000");
  EXPECT_EQ(to_string(EventTypes(abi::EventTypeXidCriticalError)), "XidCriticalError");
  EXPECT_EQ(to_string(SystemEventTypes(3)), "GpuDriverUnbind|GpuDriverBind");
  EXPECT_GE(EventTypesBits::names().size(), 13u);
  EXPECT_GE(ClocksEventReasonsBits::names().size(), 9u);
  EXPECT_TRUE(ClocksEventReasons(5).has(ClocksEventReasonsBits::GpuIdle));
  static_assert(!std::is_convertible_v<int, ClocksEventReasons>);
}

TEST(Strings, Formatters) {
  EXPECT_EQ(fmt::format("{:>10}|", Milliwatts(300)), "    300 mW|");
  EXPECT_EQ(fmt::format("{}", ClocksEventReasons(4)), "SwPowerCap");
  EXPECT_EQ(fmt::format("{}", Errc::not_supported), "not_supported");
  EXPECT_EQ(fmt::format("{}", Failure(Errc::forked)), Failure(Errc::forked).message());
  Memory memory;
  memory.total = Bytes(80);
  EXPECT_EQ(fmt::format("{}", memory), "{total: 80 B, reserved: none, free: 0 B, used: 0 B}");
  EXPECT_EQ(fmt::format("{}", ViolationTime{std::chrono::microseconds(5), std::chrono::nanoseconds(7)}),
            "{reference_time: 5 us, violation_time: 7 ns}");
}

}  // namespace
}  // namespace nvmlkit::nvml
