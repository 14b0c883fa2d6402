// Texts of every enum, of masks and of values, and the formatters.
#include <gtest/gtest.h>

#include <nvmlkit/fmt.hpp>
#include <nvmlkit/nvml.hpp>
#include <nvmlkit/registry.hpp>
#include <set>
#include <sstream>

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
    // What no header declares has no method, and nobody to say what it does. A provisional function has no method.
    const bool provisional = symbol.name == std::string("nvmlDeviceGetGpuUptime_v1") ||
                             symbol.name == std::string("nvmlDeviceGetNvLinkInfo_v3");
    EXPECT_EQ(functions[i].method.empty(), functions[i].since.empty() || provisional) << symbol.name;
    EXPECT_TRUE(functions[i].since.empty() || !functions[i].doc.empty()) << symbol.name;
    with_method += !functions[i].method.empty();
    with_unit += !functions[i].unit.empty();
  }
  EXPECT_EQ(with_method, 434u);
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

TEST(Strings, FlagsNameTheirBitsAndKeepTheRest) {
  EXPECT_EQ(to_string(ClocksEventReasons()), "none");
  EXPECT_EQ(to_string(ClocksEventReasons(5)), "gpu_idle|sw_power_cap");
  EXPECT_EQ(to_string(ClocksEventReasons(8)), "hw_slowdown");
  EXPECT_EQ(to_string(ClocksEventReasons(1ULL << 40 | 1)), "gpu_idle|0x10000000000");
  EXPECT_EQ(to_string(EventTypes(abi::EventTypeXidCriticalError)), "xid_critical_error");
  EXPECT_EQ(to_string(EventType::p_state | EventType::mig_config_change), "p_state|mig_config_change");
  EXPECT_EQ(to_string(SystemEventTypes(3)), "gpu_driver_unbind|gpu_driver_bind");
  EXPECT_GE(enumerators<EventType>.size(), 14u);
  EXPECT_GE(enumerators<ClocksEventReason>.size(), 9u);
}

using Reason = ClocksEventReason;
static_assert(ClocksEventReasons(5).contains(Reason::gpu_idle) && !ClocksEventReasons(5).contains(Reason::hw_slowdown));
static_assert((Reason::gpu_idle | Reason::sw_power_cap).contains(Reason::gpu_idle | Reason::sw_power_cap));
static_assert(!ClocksEventReasons(1).contains(Reason::gpu_idle | Reason::sw_power_cap));
static_assert(ClocksEventReasons(1).contains_any(Reason::gpu_idle | Reason::sw_power_cap));
static_assert((ClocksEventReasons(5) & Reason::sw_power_cap) == Reason::sw_power_cap);
static_assert(ClocksEventReasons(5) - Reason::sw_power_cap == Reason::gpu_idle);
static_assert(!std::is_convertible_v<int, ClocksEventReasons> && !std::is_convertible_v<ClocksEventReasons, int>);
static_assert(!std::is_convertible_v<EventType, ClocksEventReasons>);
// The C spelling is one explicit step away, in both directions.
static_assert(to_abi(Clock::sm) == abi::NVML_CLOCK_SM && Clock(abi::NVML_CLOCK_SM) == Clock::sm);
static_assert(!std::is_convertible_v<abi::nvmlClockType_t, Clock> && !std::is_convertible_v<Clock, unsigned int>);
static_assert(to_abi(PowerScope::module) == abi::POWER_SCOPE_MODULE);
static_assert(to_abi(Architecture::unknown) == abi::DEVICE_ARCH_UNKNOWN);
static_assert(to_abi(Reason::gpu_idle | Reason::sw_power_cap) == 5);

// Every enumerator goes to a text and back, and so does a number that no header knows.
template <class Enum>
int go_through_scoped() {
  const EnumTable& table = enum_table(Enum{});
  std::set<std::string> names;
  for (const auto& each : table.names) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_EQ(static_cast<long long>(static_cast<Enum>(each.number)), each.number) << each.name;
    EXPECT_EQ(from_string<Enum>(each.name), static_cast<Enum>(each.number)) << each.name;
    EXPECT_EQ(from_string<Enum>(to_string(static_cast<Enum>(each.number))), static_cast<Enum>(each.number));
  }
  const auto unknown = static_cast<Enum>(201);
  if (enumerator_name(unknown).empty()) {
    EXPECT_EQ(to_string(unknown), std::string(table.prefix) + "(201)");
    EXPECT_EQ(fmt::format("{}", unknown), to_string(unknown));
    EXPECT_EQ(from_string<Enum>(to_string(unknown)), unknown);
  }
  return static_cast<int>(table.names.size());
}

template <class... Enums>
int go_through_all_scoped(std::tuple<Enums...>) {
  return (go_through_scoped<Enums>() + ...);
}

TEST(Strings, EveryScopedEnum) {
  EXPECT_GE(std::tuple_size_v<test::ScopedEnums>, 80u);
  EXPECT_GE(go_through_all_scoped(test::ScopedEnums{}), 700);
}

TEST(Strings, ScopedEnumsHaveTheNamesOfTheirEnumerators) {
  EXPECT_EQ(to_string(Clock::sm), "sm");
  EXPECT_EQ(to_string(PState::p0), "p0");
  EXPECT_EQ(to_string(EccCounter::volatile_), "volatile");
  EXPECT_EQ(to_string(Brand(77)), "Brand(77)");
  EXPECT_EQ(to_string(GpuInstanceProfile::profile_1_slice), "profile_1_slice");
  std::ostringstream out;
  out << Clock::sm << ' ' << (EventType::clock | EventType::p_state) << ' ' << Watts(3);
  EXPECT_EQ(out.str(), "sm p_state|clock 3 W");
}

TEST(Strings, Formatters) {
  EXPECT_EQ(fmt::format("{:>10}|", Milliwatts(300)), "    300 mW|");
  EXPECT_EQ(fmt::format("{}", ClocksEventReasons(4)), "sw_power_cap");
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
