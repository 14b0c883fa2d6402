// Value types: every family from every layout, and what optional members, counts and absent numbers become.
#include <gtest/gtest.h>

#include <cstring>
#include <nvmlkit/json.hpp>

#include "conversions.hpp"
#include "fake_table.hpp"
#include "generated/all_values.hpp"

namespace nvmlkit::nvml {
namespace {

using test::fake_table;

struct Seen {
  int types = 0;
  int layouts = 0;
  int members = 0;
};

template <class Value, class Layout>
void read_layout(Seen& seen) {
  ++seen.layouts;
  // Every bit pattern is something that a driver may leave behind: zeros, ones, text without a terminator.
  for (const int byte : {0, 1, 0x41, 0xff}) {
    Layout layout;
    std::memset(static_cast<void*>(&layout), byte, sizeof layout);
    const auto value = detail::value_of<Value>(layout);
    int members = 0;
    for_each_field(value, [&](const char* name, const auto&) {
      EXPECT_NE(*name, '\0');
      ++members;
    });
    EXPECT_GT(members, 0);
    const std::string text = to_string(value);
    EXPECT_EQ(text.front(), '{');
    const auto json = to_json_value(value);
    EXPECT_EQ(json.size(), static_cast<std::size_t>(members));
    for_each_field(value, [&](const char* name, const auto&) { EXPECT_TRUE(json.contains(name)) << name; });
    // Text of a driver is any bytes; what a JSON text cannot hold is replaced.
    EXPECT_NE(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), "");
    if (byte == 0) seen.members += members;
  }
}

template <class Value, class... Layouts>
void read_family(test::Family<Value, Layouts...>, Seen& seen) {
  static_assert(Reflected<Value>);
  ++seen.types;
  (read_layout<Value, Layouts>(seen), ...);
}

TEST(Values, EveryFamilyFromEveryLayout) {
  Seen seen;
  std::apply([&](auto... family) { (read_family(family, seen), ...); }, test::AllValues{});
  EXPECT_GE(seen.types, 85);
  EXPECT_GE(seen.layouts, 100);
  EXPECT_GE(seen.members, 450);
}

TEST(Values, WhatAnOlderLayoutLacksIsMissing) {
  const auto older = detail::value_of<Memory>(abi::nvmlMemory_t{100, 60, 40});
  EXPECT_EQ(older.total, Bytes(100));
  EXPECT_FALSE(older.reserved);
  abi::nvmlMemory_v2_t newest{};
  newest.reserved = 7;
  EXPECT_EQ(detail::value_of<Memory>(newest).reserved, Bytes(7));

  abi::nvmlGpuInstanceProfileInfo_v2_t profile{};
  profile.isP2pSupported = 1;
  std::memcpy(profile.name, "MIG 1g.10gb", 12);
  const auto info = detail::value_of<GpuInstanceProfileInfo>(profile);
  EXPECT_EQ(info.is_p2p_supported, true);
  EXPECT_EQ(info.name, "MIG 1g.10gb");
  EXPECT_FALSE(info.capabilities);
}

TEST(Values, ANumberForNotAvailableIsMissing) {
  abi::nvmlProcessInfo_v2_t process{1, ~0ULL, ~0U, 3};
  const auto value = detail::value_of<ProcessInfo>(process);
  EXPECT_FALSE(value.used_gpu_memory);
  EXPECT_FALSE(value.gpu_instance_id);
  EXPECT_EQ(value.compute_instance_id, 3u);
}

TEST(Values, CountedArraysAreAsLongAsTheDriverSaysAndNoLonger) {
  abi::nvmlGpuThermalSettings_t settings{};
  settings.count = 2;
  settings.sensor[1].currentTemp = -5;
  EXPECT_EQ(detail::value_of<GpuThermalSettings>(settings).sensors.size(), 2u);
  EXPECT_EQ(detail::value_of<GpuThermalSettings>(settings).sensors[1].current_temp, Celsius(-5));
  settings.count = ~0U;
  EXPECT_EQ(detail::value_of<GpuThermalSettings>(settings).sensors.size(), 3u);
}

TEST(Values, JsonNamesAndTypes) {
  Memory memory;
  memory.total = Bytes(80);
  EXPECT_EQ(to_json_value(memory).dump(), R"({"total":80,"reserved":null,"free":0,"used":0})");
  const nlohmann::json json = memory;
  EXPECT_EQ(json["total"], 80);
  ClockOffset offset;
  offset.type = Clock::sm;
  offset.pstate = PState(77);
  EXPECT_EQ(to_json_value(offset)["type"], "sm");
  EXPECT_EQ(to_json_value(offset)["pstate"], "PState(77)");
  EXPECT_EQ(to_json_value(DeviceMethods::EccMode{true, false}).dump(), R"({"current":true,"pending":false})");
}

TEST(Values, KeysBecomeArguments) {
  Table table = fake_table();
  table.DeviceGetClockOffsets = [](abi::nvmlDevice_t, abi::nvmlClockOffset_t* info) {
    EXPECT_EQ(info->version, abi::version_tag<abi::nvmlClockOffset_v1_t>);
    EXPECT_EQ(info->type, abi::NVML_CLOCK_MEM);
    EXPECT_EQ(info->pstate, abi::NVML_PSTATE_2);
    info->clockOffsetMHz = -100;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetConfComputeGpuAttestationReport = [](abi::nvmlDevice_t,
                                                      abi::nvmlConfComputeGpuAttestationReport_t* report) {
    EXPECT_EQ(report->nonce[31], 9);
    report->attestationReportSize = 2;
    report->attestationReport[1] = 5;
    return abi::NVML_SUCCESS;
  };
  const Device device = Library::from_table(table).value().device(0).value();
  EXPECT_EQ(device.clock_offsets(Clock::mem, PState::p2).value().clock_offset, Megahertz(-100));
  std::array<unsigned char, 32> nonce{};
  nonce[31] = 9;
  EXPECT_EQ(device.conf_compute_gpu_attestation_report(nonce).value().attestation_report,
            (std::vector<unsigned char>{0, 5}));
}

TEST(Provenance, AChainSaysWhichSymbolAnswered) {
  Table table = fake_table();
  table.DeviceGetMemoryInfo_v2 = [](abi::nvmlDevice_t, abi::nvmlMemory_v2_t*) { return abi::NVML_SUCCESS; };
  table.DeviceGetGpuFabricInfoV = [](abi::nvmlDevice_t, abi::nvmlGpuFabricInfoV_t* info) {
    return info->version == abi::version_tag<abi::nvmlGpuFabricInfo_v2_t> ? abi::NVML_SUCCESS
                                                                          : abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  };
  const Device device = Library::from_table(table).value().device(0).value();
  EXPECT_STREQ(device.memory_info().symbol(), "nvmlDeviceGetMemoryInfo_v2");
  EXPECT_EQ(device.memory_info().struct_version(), 2u);
  EXPECT_STREQ(device.gpu_fabric_info().symbol(), "nvmlDeviceGetGpuFabricInfoV");
  EXPECT_EQ(device.gpu_fabric_info().struct_version(), 2u);
  EXPECT_STREQ(device.index().symbol(), "") << "no other version could have answered";
  EXPECT_STREQ(device.pci_info().symbol(), "") << "nobody answered";

  table.DeviceGetMemoryInfo_v2 = nullptr;
  table.DeviceGetMemoryInfo = [](abi::nvmlDevice_t, abi::nvmlMemory_t*) { return abi::NVML_SUCCESS; };
  const Device older = Library::from_table(table).value().device(0).value();
  EXPECT_STREQ(older.memory_info().symbol(), "nvmlDeviceGetMemoryInfo");
  EXPECT_EQ(older.memory_info().struct_version(), 0u);
}

// A Result costs nothing to return, and says who answered in bytes that were padding.
static_assert(std::is_trivially_copyable_v<Failure> && sizeof(Failure) == 16);
static_assert(std::is_trivially_copyable_v<Result<Celsius>> && std::is_trivially_destructible_v<Result<Celsius>>);
static_assert(sizeof(Result<Celsius>) == sizeof(tl::expected<Celsius, Failure>));

}  // namespace
}  // namespace nvmlkit::nvml
