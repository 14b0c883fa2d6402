// Fans, NVLinks and units as ranges.
#include <gtest/gtest.h>

#include "fake_table.hpp"

namespace nvmlkit::nvml {
namespace {

using test::device_of;
using test::fake_table;

abi::nvmlReturn_t six_links(abi::nvmlDevice_t, unsigned int link, abi::nvmlEnableState_t* active) {
  if (link >= 6) return abi::NVML_ERROR_INVALID_ARGUMENT;
  *active = link == 4 ? abi::NVML_FEATURE_DISABLED : abi::NVML_FEATURE_ENABLED;
  return abi::NVML_SUCCESS;
}

TEST(Ranges, Fans) {
  Table table = fake_table();
  table.DeviceGetNumFans = [](abi::nvmlDevice_t, unsigned int* count) {
    *count = 3;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetFanSpeed_v2 = [](abi::nvmlDevice_t, unsigned int fan, unsigned int* speed) {
    *speed = 30 + fan;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetTargetFanSpeed = [](abi::nvmlDevice_t, unsigned int fan, unsigned int* speed) {
    *speed = 60 + fan;
    return abi::NVML_SUCCESS;
  };
  std::vector<std::int64_t> speeds;
  const FanRange fans = device_of(table).fans().value();
  for (const Fan& fan : fans) speeds.push_back(fan.speed().value().count() + fan.target_speed().value().count());
  EXPECT_EQ(speeds, (std::vector<std::int64_t>{90, 92, 94}));
}

TEST(Ranges, NoFansIsAnEmptyRangeAndALostGpuIsNot) {
  Table table = fake_table();
  table.DeviceGetNumFans = [](abi::nvmlDevice_t, unsigned int*) { return abi::NVML_ERROR_NOT_SUPPORTED; };
  EXPECT_TRUE(device_of(table).fans().value().empty());
  table.DeviceGetNumFans = [](abi::nvmlDevice_t, unsigned int*) { return abi::NVML_ERROR_GPU_IS_LOST; };
  EXPECT_EQ(device_of(table).fans().error().code(), Errc::gpu_is_lost);
}

TEST(Ranges, NvLinksAreCountedByTheField) {
  Table table = fake_table();
  table.DeviceGetNvLinkState = six_links;
  table.DeviceGetFieldValues = [](abi::nvmlDevice_t, int, abi::nvmlFieldValue_t* field) {
    EXPECT_EQ(field->fieldId, static_cast<unsigned int>(abi::FI_DEV_NVLINK_LINK_COUNT));
    field->valueType = abi::NVML_VALUE_TYPE_UNSIGNED_INT;
    field->value.uiVal = 6;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetNvLinkRemotePciInfo_v2 = [](abi::nvmlDevice_t, unsigned int, abi::nvmlPciInfo_t* pci) {
    std::memset(pci->busId, 'x', sizeof pci->busId);  // no terminator
    return abi::NVML_SUCCESS;
  };
  const NvLinkRange links = device_of(table).nvlinks().value();
  EXPECT_EQ(links.size(), 6u);
  EXPECT_EQ(std::count_if(links.begin(), links.end(), [](const NvLink& l) { return l.active().value(); }), 5);
  EXPECT_EQ(links[0].remote_pci_bus_id().value().size(), sizeof abi::nvmlPciInfo_t{}.busId);
  EXPECT_EQ(links[0].version().error().code(), Errc::function_not_found);
}

TEST(Ranges, NvLinksAreCountedByTheirStateOnOldDrivers) {
  Table table = fake_table();
  table.DeviceGetNvLinkState = six_links;
  EXPECT_EQ(device_of(table).nvlinks().value().size(), 6u);
  table.DeviceGetNvLinkState = [](abi::nvmlDevice_t, unsigned int, abi::nvmlEnableState_t*) {
    return abi::NVML_ERROR_NOT_SUPPORTED;
  };
  EXPECT_TRUE(device_of(table).nvlinks().value().empty());
}

TEST(Ranges, Units) {
  Table table = fake_table();
  table.UnitGetCount = [](unsigned int* count) {
    *count = 2;
    return abi::NVML_SUCCESS;
  };
  table.UnitGetHandleByIndex = [](unsigned int index, abi::nvmlUnit_t* unit) {
    if (index == 1) return abi::NVML_ERROR_UNKNOWN;
    *unit = reinterpret_cast<abi::nvmlUnit_t>(static_cast<std::uintptr_t>(0x77));
    return abi::NVML_SUCCESS;
  };
  std::vector<bool> there;
  const UnitRange units = Library::from_table(table).value().units().value();
  for (const auto& unit : units) there.push_back(unit.has_value());
  EXPECT_EQ(there, (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace nvmlkit::nvml
