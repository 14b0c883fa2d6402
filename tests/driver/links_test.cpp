// NVLink: the links of a machine, their remote ends, and the fields that report them.
#include <cstring>

#include "links_support.hpp"

namespace nvmlkit::driver_test {
namespace {

TEST_F(Links, LeadToTheSwitchesOfTheMachine) {
  start("dgx-h100");
  int to[4] = {};
  for (unsigned int link = 0; link < 18; ++link) {
    EXPECT_TRUE(is_active(link));
    const auto id = remote(link);
    ASSERT_EQ(id.size(), std::string("00000000:05:00.0").size());
    ++to[id[10] - '5'];
    nvmlIntNvLinkDeviceType_t type{};
    EXPECT_EQ(call("nvmlDeviceGetNvLinkRemoteDeviceType", device(), link, &type), NVML_SUCCESS);
    EXPECT_EQ(type, NVML_NVLINK_DEVICE_TYPE_SWITCH);
    EXPECT_EQ(field(FI_DEV_NVLINK_GET_SPEED, link).value.uiVal, 26562U);
  }
  for (const int links : to) EXPECT_GE(links, 4);
  EXPECT_EQ(field(FI_DEV_NVLINK_LINK_COUNT).value.uiVal, 18U);
  EXPECT_EQ(field(FI_DEV_NVSWITCH_CONNECTED_LINK_COUNT).value.uiVal, 18U);
  unsigned int version = 0;
  EXPECT_EQ(call("nvmlDeviceGetNvLinkVersion", device(), 17U, &version), NVML_SUCCESS);
  EXPECT_EQ(version, NVML_NVLINK_VERSION_4_0);
  nvmlEnableState_t state{};
  EXPECT_EQ(call("nvmlDeviceGetNvLinkState", device(), 18U, &state), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(p2p(0, 7, NVML_P2P_CAPS_INDEX_NVLINK), NVML_P2P_STATUS_OK);
  EXPECT_EQ(p2p(0, 7, NVML_P2P_CAPS_INDEX_ATOMICS), NVML_P2P_STATUS_OK);
}

TEST_F(Links, ConnectGpusAsTheMachineSays) {
  start("v100");
  int to[8] = {};
  for (unsigned int link = 0; link < 6; ++link) {
    const auto id = remote(link);
    for (unsigned int gpu = 0; gpu < 8; ++gpu) {
      nvmlPciInfo_t pci{};
      ASSERT_EQ(call("nvmlDeviceGetPciInfo_v3", device(gpu), &pci), NVML_SUCCESS);
      if (id != pci.busId) continue;
      ++to[gpu];
      // What is there leads back.
      nvmlPciInfo_t own{};
      ASSERT_EQ(call("nvmlDeviceGetPciInfo_v3", device(), &own), NVML_SUCCESS);
      EXPECT_EQ(remote(field(FI_DEV_NVLINK_REMOTE_NVLINK_ID, link).value.uiVal, gpu), own.busId);
    }
  }
  const int expected[8] = {0, 1, 1, 2, 2, 0, 0, 0};
  for (int gpu = 0; gpu < 8; ++gpu) EXPECT_EQ(to[gpu], expected[gpu]) << gpu;
  EXPECT_EQ(p2p(0, 4, NVML_P2P_CAPS_INDEX_NVLINK), NVML_P2P_STATUS_OK);
  EXPECT_EQ(p2p(0, 5, NVML_P2P_CAPS_INDEX_NVLINK), NVML_P2P_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(p2p(0, 5, NVML_P2P_CAPS_INDEX_READ), NVML_P2P_STATUS_OK);
  EXPECT_EQ(p2p(0, 5, NVML_P2P_CAPS_INDEX_ATOMICS), NVML_P2P_STATUS_NOT_SUPPORTED);
}

TEST_F(Links, ListedOnesDiffer) {
  start(R"(version: "1.0"
base: h100
system: {num_devices: 3, driver_version: "550.163.01"}
nvlink:
  links: [{link: 1, state: inactive}, {link: 2, remote_device_type: npu}]
  device_links:
    - {index: 1, links: [{link: 3, remote_index: 2}, {link: 1, state: active}, {link: 4, remote_pci_bus_id: "0000:77:00.0"}]}
)");
  EXPECT_FALSE(is_active(1, 0));
  EXPECT_TRUE(is_active(1, 1));
  nvmlPciInfo_t pci{};
  EXPECT_EQ(call("nvmlDeviceGetNvLinkRemotePciInfo_v2", device(), 1U, &pci), NVML_ERROR_NOT_SUPPORTED);
  nvmlIntNvLinkDeviceType_t type{};
  EXPECT_EQ(call("nvmlDeviceGetNvLinkRemoteDeviceType", device(), 2U, &type), NVML_SUCCESS);
  EXPECT_EQ(type, NVML_NVLINK_DEVICE_TYPE_IBMNPU);
  EXPECT_EQ(call("nvmlDeviceGetNvLinkRemoteDeviceType", device(1), 3U, &type), NVML_SUCCESS);
  EXPECT_EQ(type, NVML_NVLINK_DEVICE_TYPE_GPU);
  EXPECT_EQ(remote(4, 1), "00000000:77:00.0");
  EXPECT_EQ(remote(0), "FFFFFFFF:FF:FF.0");  // a switch that the host does not see
  EXPECT_EQ(field(FI_DEV_NVSWITCH_CONNECTED_LINK_COUNT).value.uiVal, 16U);
}

TEST_F(Links, FieldValuesAreThoseOfTheGeneration) {
  start("gb200");
  EXPECT_EQ(field(FI_DEV_NVLINK_ERROR_DL_REPLAY, 0).nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(field(FI_DEV_NVLINK_COUNT_XMIT_BYTES, 0).nvmlReturn, NVML_SUCCESS);
  EXPECT_EQ(field(FI_DEV_NVLINK_COUNT_EFFECTIVE_BER, 17).value.ullVal, 15U << 8 | 255U);  // 15e-255: no errors
  EXPECT_EQ(field(FI_DEV_NVLINK_COUNT_RCV_ERRORS, 18).nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(field(FI_DEV_NVLINK_BANDWIDTH_C0_TOTAL).nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(field(FI_DEV_C2C_LINK_COUNT).value.uiVal, 5U);
  EXPECT_EQ(field(FI_DEV_C2C_LINK_GET_STATUS, 4).value.uiVal, 1U);
  EXPECT_EQ(field(FI_DEV_C2C_LINK_GET_MAX_BW, 4).value.uiVal, 44712U);
  EXPECT_EQ(field(FI_DEV_C2C_LINK_GET_MAX_BW, 5).nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
  nvmlC2cModeInfo_v1_t c2c{};
  EXPECT_EQ(call("nvmlDeviceGetC2cModeInfoV", device(), &c2c), NVML_SUCCESS);
  EXPECT_EQ(c2c.isC2cEnabled, 1U);
  nvmlNvLinkInfo_v2_t info{};
  info.version = version_tag<nvmlNvLinkInfo_v2_t>;
  EXPECT_EQ(call("nvmlDeviceGetNvLinkInfo", device(), &info), NVML_SUCCESS);
  EXPECT_EQ(info.isNvleEnabled, 0U);
  ASSERT_EQ(info.firmwareInfo.numValidEntries, 5U);
  EXPECT_EQ(info.firmwareInfo.firmwareVersion[1].minor, 2014U);
  nvmlPlatformInfo_v2_t platform{};
  platform.version = version_tag<nvmlPlatformInfo_v2_t>;
  EXPECT_EQ(call("nvmlDeviceGetPlatformInfo", device(1), &platform), NVML_SUCCESS);
  EXPECT_EQ(std::memcmp(platform.chassisSerialNumber, "1821125190042", 13), 0);
  EXPECT_EQ(platform.slotNumber, 14);
  EXPECT_EQ(platform.peerType, 1);
  EXPECT_EQ(platform.moduleId, 1);
}

// Programs ask about as many as any GPU has.
TEST_F(Links, OnesThatOnlyOtherGpusHaveCanDoNothing) {
  start("a100");
  unsigned int can = 9;
  EXPECT_EQ(call("nvmlDeviceGetNvLinkCapability", device(), 11U, NVML_NVLINK_CAP_P2P_SUPPORTED, &can), NVML_SUCCESS);
  EXPECT_EQ(can, 1U);
  EXPECT_EQ(call("nvmlDeviceGetNvLinkCapability", device(), 17U, NVML_NVLINK_CAP_P2P_SUPPORTED, &can), NVML_SUCCESS);
  EXPECT_EQ(can, 0U);
  const unsigned int none = NVLINK_MAX_LINKS;
  EXPECT_EQ(call("nvmlDeviceGetNvLinkCapability", device(), none, NVML_NVLINK_CAP_P2P_SUPPORTED, &can),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(p2p(0, 1, NVML_P2P_CAPS_INDEX_UNKNOWN), NVML_P2P_STATUS_UNKNOWN);
}

TEST_F(Links, ACardWithoutThemHasNone) {
  start("l40s");
  nvmlEnableState_t state{};
  EXPECT_EQ(call("nvmlDeviceGetNvLinkState", device(), 0U, &state), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(field(FI_DEV_NVLINK_LINK_COUNT).nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
  nvmlC2cModeInfo_v1_t c2c{};
  EXPECT_EQ(call("nvmlDeviceGetC2cModeInfoV", device(), &c2c), NVML_ERROR_NOT_SUPPORTED);
  nvmlPlatformInfo_v2_t platform{};
  platform.version = version_tag<nvmlPlatformInfo_v2_t>;
  EXPECT_EQ(call("nvmlDeviceGetPlatformInfo", device(), &platform), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(p2p(0, 1, NVML_P2P_CAPS_INDEX_NVLINK), NVML_P2P_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(p2p(0, 1, NVML_P2P_CAPS_INDEX_PCI), NVML_P2P_STATUS_OK);
}

}  // namespace
}  // namespace nvmlkit::driver_test
