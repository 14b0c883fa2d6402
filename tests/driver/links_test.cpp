// NVLink, topology, affinity: what a machine says of them, what time and faults do to them.
#include <cstring>

#include "faults_support.hpp"
#include "sim/state/lock.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/transaction/edit.hpp"

namespace nvmlkit::driver_test {
namespace {

class Links : public Shared {
 protected:
  nvmlFieldValue_t field(unsigned int id, unsigned int scope = 0, unsigned int gpu = 0) {
    nvmlFieldValue_t value{};
    value.fieldId = id;
    value.scopeId = scope;
    EXPECT_EQ(call("nvmlDeviceGetFieldValues", device(gpu), 1, &value), NVML_SUCCESS);
    return value;
  }

  bool is_active(unsigned int link, unsigned int gpu = 0) {
    nvmlEnableState_t state{};
    EXPECT_EQ(call("nvmlDeviceGetNvLinkState", device(gpu), link, &state), NVML_SUCCESS);
    return state == NVML_FEATURE_ENABLED;
  }

  unsigned long long errors(unsigned int link, nvmlNvLinkErrorCounter_t counter, unsigned int gpu = 0) {
    unsigned long long value = 0;
    EXPECT_EQ(call("nvmlDeviceGetNvLinkErrorCounter", device(gpu), link, counter, &value), NVML_SUCCESS);
    return value;
  }

  std::string remote(unsigned int link, unsigned int gpu = 0) {
    nvmlPciInfo_t pci{};
    EXPECT_EQ(call("nvmlDeviceGetNvLinkRemotePciInfo_v2", device(gpu), link, &pci), NVML_SUCCESS);
    return pci.busId;
  }

  nvmlGpuP2PStatus_t p2p(unsigned int a, unsigned int b, nvmlGpuP2PCapsIndex_t index) {
    nvmlGpuP2PStatus_t status{};
    EXPECT_EQ(call("nvmlDeviceGetP2PStatus", device(a), device(b), index, &status), NVML_SUCCESS);
    return status;
  }

  nvmlGpuTopologyLevel_t level(unsigned int a, unsigned int b) {
    nvmlGpuTopologyLevel_t out{};
    EXPECT_EQ(call("nvmlDeviceGetTopologyCommonAncestor", device(a), device(b), &out), NVML_SUCCESS);
    return out;
  }

  // From now on time passes when the test says so.
  void stop_time() { set_clock(outside_->host().clock.paced(sim::real_time_ns(), 0)); }
  void advance(int seconds) {
    set_clock(outside_->host().clock.advanced(sim::real_time_ns(), seconds * std::int64_t{1'000'000'000}));
  }

  void load(std::uint32_t percent) {
    const sim::state::Lock lock(*outside_);
    sim::transaction::Edit edit(lock, 0);
    sim::model::Workload workload{};
    workload.gpu = percent;
    sim::telemetry::load(*edit, workload, sim::now_ns(*outside_), 0);
    edit.commit();
  }

 private:
  void set_clock(const sim::Clock& clock) {
    const sim::state::Lock lock(*outside_);
    ASSERT_TRUE(lock.replace(outside_->host().clock, clock));
  }
};

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

TEST_F(Links, CountWhatAWorkloadSends) {
  start_shared("h100", "1");
  start_library();
  stop_time();
  advance(10);
  EXPECT_EQ(field(FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 0).value.ullVal, 0U);
  load(50);
  advance(8);
  // A quarter of the bandwidth at full load, half of that at 50 %.
  const auto expected = static_cast<unsigned long long>(8 * 0.125 * 26562e6 / 1024);
  EXPECT_NEAR(static_cast<double>(field(FI_DEV_NVLINK_THROUGHPUT_DATA_RX, 17).value.ullVal),
              static_cast<double>(expected), 2);
  const auto all = field(FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 0xFFFFFFFF).value.ullVal;
  EXPECT_NEAR(static_cast<double>(all), 18.0 * static_cast<double>(expected), 40);
  // A link that goes down counts no more, the others do; what was counted stays.
  inject("gpu=0 nvlink 2 down");
  advance(8);
  EXPECT_NEAR(static_cast<double>(field(FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 2).value.ullVal),
              static_cast<double>(expected), 2);
  EXPECT_NEAR(static_cast<double>(field(FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 3).value.ullVal),
              2.0 * static_cast<double>(expected), 4);
}

TEST_F(Links, FieldIdsOfErrorsCanBeCleared) {
  start_shared("h100");
  start_library();
  stop_time();
  inject("gpu=0 nvlink 4 errors");
  inject("gpu=0 nvlink 5 errors");
  advance(30);
  nvmlFieldValue_t entries[3]{};
  entries[0].fieldId = FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_L4;
  entries[1].fieldId = FI_DEV_TOTAL_ENERGY_CONSUMPTION;
  entries[2].fieldId = 9999;
  ASSERT_EQ(call("nvmlDeviceClearFieldValues", device(), 3, +entries), NVML_SUCCESS);
  EXPECT_EQ(entries[0].nvmlReturn, NVML_SUCCESS);
  EXPECT_EQ(entries[1].nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(entries[2].nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(errors(4, NVML_NVLINK_ERROR_DL_CRC_FLIT), 0U);
  EXPECT_EQ(errors(5, NVML_NVLINK_ERROR_DL_CRC_FLIT), 30U);
  entries[0].fieldId = FI_DEV_NVLINK_ERROR_DL_CRC;
  entries[0].scopeId = 5;
  ASSERT_EQ(call("nvmlDeviceClearFieldValues", device(), 1, +entries), NVML_SUCCESS);
  EXPECT_EQ(errors(5, NVML_NVLINK_ERROR_DL_CRC_FLIT), 0U);
}

TEST_F(Links, FaultsHaveConsequences) {
  start_shared("h100");
  start_library();
  stop_time();
  const auto set = set_for(kXid);
  inject("gpu=0 nvlink 4 errors");
  nvmlEventData_t event{};
  EXPECT_EQ(wait(set, event), NVML_SUCCESS);
  EXPECT_EQ(event.eventData, 74U);
  advance(30);
  EXPECT_EQ(errors(4, NVML_NVLINK_ERROR_DL_CRC_FLIT), 30U);
  EXPECT_EQ(errors(4, NVML_NVLINK_ERROR_DL_REPLAY), 30U);
  EXPECT_EQ(field(FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_L4).value.ullVal, 30U);
  EXPECT_EQ(field(FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL).value.ullVal, 30U);
  EXPECT_EQ(field(FI_DEV_NVLINK_ERROR_DL_CRC, 4).value.ullVal, 30U);
  EXPECT_EQ(errors(5, NVML_NVLINK_ERROR_DL_CRC_FLIT), 0U);
  EXPECT_EQ(call("nvmlDeviceResetNvLinkErrorCounters", device(), 4U), NVML_SUCCESS);
  EXPECT_EQ(errors(4, NVML_NVLINK_ERROR_DL_CRC_FLIT), 0U);
  advance(5);
  EXPECT_EQ(errors(4, NVML_NVLINK_ERROR_DL_CRC_FLIT), 5U);

  // Two GPUs without a switch: the other end goes down, too, and comes back.
  const auto other = field(FI_DEV_NVLINK_REMOTE_NVLINK_ID, 7).value.uiVal;
  inject("gpu=0 nvlink 7 down");
  EXPECT_FALSE(is_active(7));
  EXPECT_FALSE(is_active(other, 1));
  EXPECT_EQ(errors(7, NVML_NVLINK_ERROR_DL_RECOVERY), 1U);
  EXPECT_EQ(errors(other, NVML_NVLINK_ERROR_DL_RECOVERY, 1), 1U);
  inject("gpu=0 nvlink all down");
  EXPECT_EQ(p2p(0, 1, NVML_P2P_CAPS_INDEX_NVLINK), NVML_P2P_STATUS_NOT_SUPPORTED);
  heal("gpu=0 nvlink");
  EXPECT_TRUE(is_active(other, 1));
  EXPECT_EQ(p2p(0, 1, NVML_P2P_CAPS_INDEX_NVLINK), NVML_P2P_STATUS_OK);
  inject("gpu=0 lost");
  EXPECT_FALSE(is_active(0, 1));
  heal("gpu=0 lost");
  EXPECT_TRUE(is_active(0, 1));
}

TEST_F(Links, CountersBeginAsTheMachineSaysAndAnewAfterAReset) {
  const std::string name = testing::TempDir() + "/links_" + std::to_string(getpid()) + ".yaml";
  std::ofstream(name) << R"(version: "1.0"
base: h100
device_defaults: {nvlink_error: {rate: 3, links: [2]}}
nvlink: {defaults: {counter_seed: 7, duty_cycle: 1}}
)";
  start_shared(name, "1");
  unlink(name.c_str());
  start_library();
  stop_time();
  const auto before = errors(2, NVML_NVLINK_ERROR_DL_CRC_FLIT);
  const auto sent = field(FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 0).value.ullVal;
  EXPECT_GT(sent, 0U);
  EXPECT_NE(sent, field(FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 1).value.ullVal);
  load(100);
  advance(10);
  EXPECT_EQ(errors(2, NVML_NVLINK_ERROR_DL_CRC_FLIT) - before, 30U);
  EXPECT_EQ(errors(3, NVML_NVLINK_ERROR_DL_CRC_FLIT), 0U);
  EXPECT_NEAR(static_cast<double>(field(FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 0).value.ullVal - sent), 10 * 26562e6 / 1024,
              2);
  {
    const sim::state::Lock lock(*outside_);
    sim::transaction::Edit edit(lock, 0);
    edit->links.begin_anew = 1;  // as a reset does
    edit.commit();
  }
  EXPECT_EQ(errors(2, NVML_NVLINK_ERROR_DL_CRC_FLIT), 0U);
  EXPECT_EQ(field(FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 0).value.ullVal, 0U);
  advance(1);
  EXPECT_EQ(errors(2, NVML_NVLINK_ERROR_DL_CRC_FLIT), 3U);
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

TEST_F(Links, TreeTellsDistancesAndWhatIsNear) {
  start("dgx-a100");
  EXPECT_EQ(level(0, 0), NVML_TOPOLOGY_INTERNAL);
  EXPECT_EQ(level(0, 1), NVML_TOPOLOGY_MULTIPLE);
  EXPECT_EQ(level(0, 2), NVML_TOPOLOGY_SYSTEM);
  unsigned long cpus[4] = {};
  EXPECT_EQ(call("nvmlDeviceGetCpuAffinity", device(), 4U, cpus), NVML_SUCCESS);
  EXPECT_EQ(cpus[0], 0xFFFF000000000000UL);  // 48-63
  EXPECT_EQ(cpus[1], 0UL);
  EXPECT_EQ(cpus[2], 0xFFFF000000000000UL);  // 176-191
  unsigned int scope = AFFINITY_SCOPE_SOCKET;
  EXPECT_EQ(call("nvmlDeviceGetCpuAffinityWithinScope", device(), 4U, cpus, scope), NVML_SUCCESS);
  EXPECT_EQ(cpus[0], 0xFFFF0000FFFFFFFFUL);  // with those of nodes 0 and 1
  unsigned long nodes[1] = {};
  EXPECT_EQ(call("nvmlDeviceGetMemoryAffinity", device(), 1U, nodes, scope), NVML_SUCCESS);
  EXPECT_EQ(nodes[0], 1UL << 0 | 1UL << 1 | 1UL << 3);
  scope = AFFINITY_SCOPE_NODE;
  EXPECT_EQ(call("nvmlDeviceGetMemoryAffinity", device(7), 1U, nodes, scope), NVML_SUCCESS);
  EXPECT_EQ(nodes[0], 1UL << 5);
  EXPECT_EQ(call("nvmlDeviceGetMemoryAffinity", device(7), 1U, nodes, 2U), NVML_ERROR_INVALID_ARGUMENT);

  nvmlDevice_t gpus[8] = {};
  unsigned int count = 8;
  EXPECT_EQ(call("nvmlSystemGetTopologyGpuSet", 222U, &count, gpus), NVML_SUCCESS);
  ASSERT_EQ(count, 2U);
  EXPECT_EQ(gpus[0], device(6));
  EXPECT_EQ(gpus[1], device(7));
  count = 8;
  EXPECT_EQ(call("nvmlDeviceGetTopologyNearestGpus", device(4), NVML_TOPOLOGY_MULTIPLE, &count, gpus), NVML_SUCCESS);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(gpus[0], device(5));
}

TEST_F(Links, WithoutATreeAllCpusOfThisHostAreNear) {
  start("t4");
  unsigned long cpus[16] = {};
  EXPECT_EQ(call("nvmlDeviceGetCpuAffinity", device(), 16U, cpus), NVML_SUCCESS);
  int near = 0;
  for (const auto word : cpus) near += __builtin_popcountl(word);
  EXPECT_EQ(near, sysconf(_SC_NPROCESSORS_ONLN));
  unsigned int count = 0;
  EXPECT_EQ(call("nvmlSystemGetTopologyGpuSet", 0U, &count, static_cast<nvmlDevice_t*>(nullptr)), NVML_SUCCESS);
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(call("nvmlDeviceGetCpuAffinity", device(), 0U, cpus), NVML_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace nvmlkit::driver_test
