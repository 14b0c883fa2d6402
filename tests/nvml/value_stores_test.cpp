// Values that setters take: what arrives at the driver, and what never does.
#include <gtest/gtest.h>

#include <cstring>
#include <nvmlkit/device.hpp>
#include <nvmlkit/library.hpp>
#include <nvmlkit/objects.hpp>
#include <nvmlkit/vgpu.hpp>

#include "fake_table.hpp"

namespace nvmlkit::nvml {
namespace {

using test::fake_table;

// The last struct that a setter of the table below got, and how often any was called.
template <class Struct>
Struct seen{};
int calls_made = 0;

template <class Struct>
abi::nvmlReturn_t keep(abi::nvmlDevice_t, Struct* given) {
  seen<Struct> = *given;
  ++calls_made;
  return abi::NVML_SUCCESS;
}

class ValueStores : public testing::Test {
 protected:
  ValueStores() {
    calls_made = 0;
    Table table = fake_table();
    table.DeviceSetClockOffsets = keep<abi::nvmlClockOffset_v1_t>;
    table.DeviceSetHostname_v1 = keep<abi::nvmlHostname_v1_t>;
    table.DeviceSetDramEncryptionMode = [](abi::nvmlDevice_t device, const abi::nvmlDramEncryptionInfo_v1_t* info) {
      auto copy = *info;
      return keep(device, &copy);
    };
    table.DevicePowerSmoothingSetState = keep<abi::nvmlPowerSmoothingState_v1_t>;
    table.DeviceWorkloadPowerProfileSetRequestedProfiles = keep<abi::nvmlWorkloadPowerProfileRequestedProfiles_v1_t>;
    table.SetVgpuVersion = [](abi::nvmlVgpuVersion_t* version) { return keep(nullptr, version); };
    table.DeviceModifyDrainState = [](abi::nvmlPciInfo_t* pci, abi::nvmlEnableState_t) { return keep(nullptr, pci); };
    library_.emplace(Library::from_table(table).value());
    device_.emplace(library_->device(0).value());
  }

  std::optional<Library> library_;
  std::optional<Device> device_;
};

TEST_F(ValueStores, TheVersionIsTheLibrarysBusiness) {
  ASSERT_TRUE(device_->set_clock_offsets({.type = Clock::mem, .pstate = PState::p2, .clock_offset = Megahertz(-150)}));
  const auto& offset = seen<abi::nvmlClockOffset_v1_t>;
  EXPECT_EQ(offset.version, abi::version_tag<abi::nvmlClockOffset_v1_t>);
  EXPECT_EQ(offset.type, abi::NVML_CLOCK_MEM);
  EXPECT_EQ(offset.pstate, abi::NVML_PSTATE_2);
  EXPECT_EQ(offset.clockOffsetMHz, -150);
}

TEST_F(ValueStores, WhatTheFieldCannotHoldNeverArrives) {
  const auto offset = device_->set_clock_offsets({.clock_offset = Megahertz(1LL << 40)});
  ASSERT_FALSE(offset);
  EXPECT_EQ(offset.error(), Errc::invalid_argument);
  EXPECT_NE(offset.error().message().find("clock_offset is out of range"), std::string::npos)
      << offset.error().message();

  EXPECT_EQ(device_->set_hostname({std::string(64, 'x')}).error(), Errc::invalid_argument);
  EXPECT_EQ(device_->set_hostname({std::string("a\0b", 3)}).error(), Errc::invalid_argument);
  EXPECT_EQ(calls_made, 0);
  ASSERT_TRUE(device_->set_hostname({std::string(63, 'x')}));
  EXPECT_EQ(std::strlen(seen<abi::nvmlHostname_v1_t>.value), 63u);
}

TEST_F(ValueStores, TruthValuesBecomeWhatTheFieldIs) {
  ASSERT_TRUE(device_->set_dram_encryption_mode({.enabled = true}));
  EXPECT_EQ(seen<abi::nvmlDramEncryptionInfo_v1_t>.encryptionState, abi::NVML_FEATURE_ENABLED);
  ASSERT_TRUE(device_->set_power_smoothing_state({.enabled = true}));
  ASSERT_TRUE(device_->set_power_smoothing_state({.enabled = false}));
  EXPECT_EQ(seen<abi::nvmlPowerSmoothingState_v1_t>.state, abi::NVML_FEATURE_DISABLED);
}

TEST_F(ValueStores, MasksAndRangesAndAddresses) {
  WorkloadPowerProfileRequest request;
  request.profiles.mask[7] = 0x80000000U;
  ASSERT_TRUE(device_->set_workload_power_profile_requested_profiles(request));
  EXPECT_EQ(seen<abi::nvmlWorkloadPowerProfileRequestedProfiles_v1_t>.requestedProfilesMask.mask[7], 0x80000000U);

  ASSERT_TRUE(library_->set_vgpu_version({.lowest = 3, .highest = 5}));
  EXPECT_EQ(seen<abi::nvmlVgpuVersion_t>.minVersion, 3u);
  EXPECT_EQ(seen<abi::nvmlVgpuVersion_t>.maxVersion, 5u);

  PciInfo pci;
  pci.domain = 0x10000;
  pci.bus = 0x53;
  ASSERT_TRUE(library_->modify_drain_state(pci, true));
  EXPECT_EQ(seen<abi::nvmlPciInfo_t>.domain, 0x10000u);
  EXPECT_EQ(seen<abi::nvmlPciInfo_t>.bus, 0x53u);
}

}  // namespace
}  // namespace nvmlkit::nvml
