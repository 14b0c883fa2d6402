// NVLink encryption and uptime (NVML 13.5) through a reset of the GPU. The steps are those of
// nvlink_encryption_test.cpp in tests/sim_table.
#include "steered.hpp"

namespace nvmlkit::driver_test {
namespace {

class Nvml135 : public Steered {
 protected:
  void start() {
    begin("b200", "2");
    change_host();
  }
  // Both GPUs encrypt.
  void change_host() {
    const sim::state::Lock lock(*outside_);
    auto encryption = outside_->host().nvlink.encryption;
    encryption = true;
    ASSERT_TRUE(lock.replace(outside_->host().nvlink.encryption, encryption));
  }
  static unsigned int uptime(unsigned int index = 0) {
    nvmlGpuUptime_v1_t out{};
    EXPECT_EQ(call("nvmlDeviceGetGpuUptime_v1", device(index), &out), NVML_SUCCESS);
    return out.uptime;
  }
  static unsigned int ready(unsigned int index = 0) {
    nvmlNvLinkInfo_v3_t info{};
    EXPECT_EQ(call("nvmlDeviceGetNvLinkInfo_v3", device(index), &info), NVML_SUCCESS);
    return info.isNvleReady;
  }
  static nvmlReturn_t set_up(unsigned int local, unsigned int remote) {
    static nvmlNvlinkGetRemapTableInfo_v1_t table;
    nvmlNvlinkSetupNvleEncryptionKey_v1_t key{};
    EXPECT_EQ(call("nvmlDeviceGetNvlinkRemapTableInfo_v1", device(local), &table), NVML_SUCCESS);
    key.localGpuAlid = table.alid;
    EXPECT_EQ(call("nvmlDeviceGetNvlinkRemapTableInfo_v1", device(remote), &table), NVML_SUCCESS);
    key.remoteGpuAlid = table.alid;
    EXPECT_EQ(call("nvmlDeviceGetNvlinkNvlePrivateInfo_v1", device(local), &key.localGpuNvlePrivateInfo), NVML_SUCCESS);
    EXPECT_EQ(call("nvmlDeviceGetNvlinkNvlePrivateInfo_v1", device(remote), &key.remoteGpuNvlePrivateInfo),
              NVML_SUCCESS);
    return call("nvmlDeviceSetupNvlinkNvleEncryptionKey_v1", device(local), &key);
  }
  // The driver lets go of the GPU and starts it again.
  static void restart(unsigned int index) {
    nvmlPciInfo_t pci{};
    ASSERT_EQ(call("nvmlDeviceGetPciInfo_v3", device(index), &pci), NVML_SUCCESS);
    ASSERT_EQ(call("nvmlDeviceSetPersistenceMode", device(index), NVML_FEATURE_DISABLED), NVML_SUCCESS);
    ASSERT_EQ(call("nvmlDeviceRemoveGpu_v2", &pci, NVML_DETACH_GPU_REMOVE, NVML_PCIE_LINK_KEEP), NVML_SUCCESS);
    ASSERT_EQ(call("nvmlDeviceDiscoverGpus", &pci), NVML_SUCCESS);
  }
};

TEST_F(Nvml135, UptimeCountsFromTheLastResetOfTheGpu) {
  start();
  const auto before = uptime(1);
  pass(100);
  EXPECT_EQ(uptime(0), before + 100);
  restart(0);
  pass(7);
  EXPECT_EQ(uptime(0), 7U);
  EXPECT_EQ(uptime(1), before + 107);
}

TEST_F(Nvml135, AResetTakesKeysLockAndReadiness) {
  start();
  nvmlNvlinkLockRemapTable_v1_t lock{};
  ASSERT_EQ(call("nvmlDeviceLockNvlinkRemapTable_v1", device(), &lock), NVML_SUCCESS);
  EXPECT_EQ(lock.bRemapTableLocked, 1U);
  EXPECT_EQ(lock.bRemapTableLockDisabled, 0U);
  ASSERT_EQ(set_up(0, 1), NVML_SUCCESS);
  ASSERT_EQ(set_up(0, 1), NVML_SUCCESS) << "a second key replaces the first";
  nvmlNvlinkSetNvleReady_v1_t yes{1};
  ASSERT_EQ(call("nvmlDeviceSetNvlinkNvleReady_v1", device(), &yes), NVML_SUCCESS);
  const auto& state = outside_->gpus()[0].nvlink_encryption;
  EXPECT_EQ(ready(), 1U);
  EXPECT_TRUE(*state.table_locked);
  ASSERT_EQ(state.key_peers.size(), 1U);
  EXPECT_EQ(state.key_peers.items[0], *outside_->gpus()[1].nvlink_encryption.alid);
  restart(0);
  EXPECT_EQ(ready(), 0U);
  EXPECT_FALSE(*state.table_locked);
  EXPECT_TRUE(state.key_peers.empty());
}

TEST_F(Nvml135, KeysHaveLimitedRoom) {
  start();
  change([](auto& gpu) {
    auto& peers = gpu.nvlink_encryption.key_peers;
    for (std::uint32_t alid = 1000; peers.push_back(alid); ++alid) {
    }
  });
  EXPECT_EQ(set_up(0, 1), NVML_ERROR_INSUFFICIENT_RESOURCES);
}

TEST_F(Nvml135, LengthsBeyondTheStructAreRefused) {
  start();
  nvmlNvlinkSetupNvleEncryptionKey_v1_t key{};
  key.localGpuAlid = *outside_->gpus()[0].nvlink_encryption.alid;
  key.remoteGpuAlid = 4711;
  ASSERT_EQ(call("nvmlDeviceGetNvlinkNvlePrivateInfo_v1", device(), &key.localGpuNvlePrivateInfo), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceSetupNvlinkNvleEncryptionKey_v1", device(), &key), NVML_SUCCESS);
  key.remoteGpuNvlePrivateInfo.size = 257;
  EXPECT_EQ(call("nvmlDeviceSetupNvlinkNvleEncryptionKey_v1", device(), &key), NVML_ERROR_INVALID_ARGUMENT);
  key.remoteGpuNvlePrivateInfo.size = 0;
  key.localGpuNvlePrivateInfo.size = ~0U;
  EXPECT_EQ(call("nvmlDeviceSetupNvlinkNvleEncryptionKey_v1", device(), &key), NVML_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace nvmlkit::driver_test
