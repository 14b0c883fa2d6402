// NVLink encryption by the methods of the bindings, in the order in which NVIDIA's daemon sets it up, and the functions
// of NVML 13.5 that have no method.
#include <gtest/gtest.h>
#include <unistd.h>

#include <nvmlkit/nvml.hpp>
#include <nvmlkit/sim/table.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nvmlkit::sim {
namespace {

using nvml::Device;
using nvml::Errc;
using nvml::Library;
using nvml::Table;

constexpr const char* kEncrypting =
    "version: \"1.0\"\nbase: b200\nsystem: {num_devices: 3, enforce_privilege: false}\nnvlink: {encryption: true}\n";

class NvlinkEncryption : public testing::Test {
 protected:
  void start(const std::string& machine, const char* time = "") {
    driver_.emplace(SimulatedDriver::create(machine, {.time = time}).value());
    library_.emplace(Library::from_table(driver_->table()).value());
  }
  Device gpu(unsigned int index) const { return library_->device(index).value(); }
  bool is_ready(unsigned int index) const {
    abi::nvmlNvLinkInfo_v3_t info{};
    library_->call(&Table::DeviceGetNvLinkInfo_v3, gpu(index).handle(), &info).value();
    return info.isNvleReady != 0;
  }
  unsigned int uptime(unsigned int index) const {
    abi::nvmlGpuUptime_v1_t uptime{};
    library_->call(&Table::DeviceGetGpuUptime_v1, gpu(index).handle(), &uptime).value();
    return uptime.uptime;
  }
  nvml::NvlinkNvleKey key_between(const Device& local, const Device& remote) const {
    return {.secret = {'s', 'e', 'c', 'r', 'e', 't'},
            .local_alid = local.nvlink_remap_table().value().alid,
            .remote_alid = remote.nvlink_remap_table().value().alid,
            .local_info = local.nvlink_nvle_private_info().value(),
            .remote_info = remote.nvlink_nvle_private_info().value()};
  }

  std::optional<SimulatedDriver> driver_;
  std::optional<Library> library_;
};

TEST_F(NvlinkEncryption, IsSetUpStepByStep) {
  start(kEncrypting);
  std::set<unsigned int> addresses;
  for (unsigned int i = 0; i < 3; ++i) {
    const auto table = gpu(i).nvlink_remap_table().value();
    EXPECT_TRUE(addresses.insert(table.alid).second) << table.alid;
    EXPECT_EQ(table.fabric_addresses.size(), 3u);
    EXPECT_EQ(table.fabric_addresses, gpu(0).nvlink_remap_table().value().fabric_addresses);
    EXPECT_EQ(table.physical_addresses, gpu(0).nvlink_remap_table().value().physical_addresses);
    const auto lock = gpu(i).lock_nvlink_remap_table().value();
    EXPECT_TRUE(lock.locked);
    EXPECT_FALSE(lock.disabled);
  }
  for (unsigned int local = 0; local < 3; ++local)
    for (unsigned int remote = 0; remote < 3; ++remote)
      if (local != remote)
        EXPECT_TRUE(gpu(local).setup_nvlink_nvle_encryption_key(key_between(gpu(local), gpu(remote))));
  EXPECT_FALSE(is_ready(1));
  EXPECT_TRUE(gpu(1).set_nvlink_nvle_ready(true));
  EXPECT_TRUE(is_ready(1));
  EXPECT_FALSE(is_ready(0));
  EXPECT_TRUE(gpu(1).set_nvlink_nvle_ready(false));
  EXPECT_FALSE(is_ready(1));
}

TEST_F(NvlinkEncryption, PrivateInfoIsOfItsGpu) {
  start(kEncrypting);
  const auto info = gpu(0).nvlink_nvle_private_info().value();
  EXPECT_FALSE(info.data.empty());
  EXPECT_EQ(info, gpu(0).nvlink_nvle_private_info().value());
  EXPECT_NE(info, gpu(1).nvlink_nvle_private_info().value());
}

TEST_F(NvlinkEncryption, RefusesKeysThatFitNoPair) {
  start(kEncrypting);
  const auto refused = [&](const nvml::NvlinkNvleKey& key) {
    return gpu(0).setup_nvlink_nvle_encryption_key(key).error().code();
  };
  auto key = key_between(gpu(1), gpu(2));
  EXPECT_EQ(refused(key), Errc::invalid_argument) << "of other GPUs";
  key = key_between(gpu(0), gpu(0));
  EXPECT_EQ(refused(key), Errc::invalid_argument) << "with itself";
  key = key_between(gpu(0), gpu(1));
  key.local_info.data.back() ^= 1;
  EXPECT_EQ(refused(key), Errc::invalid_argument) << "changed private info";
  key = key_between(gpu(0), gpu(1));
  key.remote_info = gpu(2).nvlink_nvle_private_info().value();
  EXPECT_EQ(refused(key), Errc::invalid_argument) << "private info of a third GPU";
  key = key_between(gpu(0), gpu(1));
  key.remote_info.data.resize(257);
  EXPECT_EQ(refused(key), Errc::invalid_argument) << "does not fit";
  // A GPU of another machine.
  key = key_between(gpu(0), gpu(1));
  key.remote_alid = 4711;
  key.remote_info.data = {1, 2, 3};
  EXPECT_TRUE(gpu(0).setup_nvlink_nvle_encryption_key(key));
}

TEST_F(NvlinkEncryption, AMachineFileCanDifferInTableAndLock) {
  start(std::string(kEncrypting) +
        "devices: [{index: 1, nvlink_encryption: {alid: 7, lock_disabled: true, remap_table: [{fla: 1, gpa: 2}]}}]\n");
  const auto table = gpu(1).nvlink_remap_table().value();
  EXPECT_EQ(table.alid, 7u);
  EXPECT_EQ(table.fabric_addresses, std::vector<unsigned int>{1});
  EXPECT_EQ(table.physical_addresses, std::vector<unsigned int>{2});
  const auto lock = gpu(1).lock_nvlink_remap_table().value();
  EXPECT_FALSE(lock.locked);
  EXPECT_TRUE(lock.disabled);
  EXPECT_EQ(gpu(0).nvlink_remap_table().value().fabric_addresses, (std::vector<unsigned int>{1, 7, 3}));
}

TEST_F(NvlinkEncryption, NeedsAMachineThatEncrypts) {
  for (const char* machine : {"b200", "h100", "t4"}) {
    start(machine);
    EXPECT_EQ(gpu(0).nvlink_remap_table().error().code(), Errc::not_supported) << machine;
    EXPECT_EQ(gpu(0).nvlink_nvle_private_info().error().code(), Errc::not_supported) << machine;
    if (machine == std::string("b200")) EXPECT_FALSE(is_ready(0));
  }
}

TEST_F(NvlinkEncryption, SettersNeedRoot) {
  start("version: \"1.0\"\nbase: b200\nnvlink: {encryption: true}\n");
  const bool root = geteuid() == 0;
  if (root) {
    EXPECT_TRUE(gpu(0).lock_nvlink_remap_table());
    ASSERT_EQ(seteuid(65534), 0);
  }
  EXPECT_EQ(gpu(0).lock_nvlink_remap_table().error().code(), Errc::no_permission);
  EXPECT_EQ(gpu(0).set_nvlink_nvle_ready(true).error().code(), Errc::no_permission);
  EXPECT_EQ(gpu(0).setup_nvlink_nvle_encryption_key({}).error().code(), Errc::no_permission);
  EXPECT_TRUE(gpu(0).nvlink_remap_table());
  if (root) ASSERT_EQ(seteuid(0), 0);
}

TEST_F(NvlinkEncryption, UptimeFollowsTheClockOfTheMachine) {
  start(kEncrypting, "virtual");
  EXPECT_EQ(uptime(0), 0u);
  ASSERT_TRUE(driver_->steer("time advance 90s"));
  EXPECT_EQ(uptime(0), 90u);
  EXPECT_EQ(uptime(2), 90u);
}

TEST_F(NvlinkEncryption, TdispStateIsThatOfAllGpus) {
  const std::string machine =
      "version: \"1.0\"\nbase: h100\nsystem: {num_devices: 2, conf_compute: {tdisp_state: 2}}\n";
  start(machine);
  EXPECT_EQ(library_->conf_compute_settings().value().tdisp_state, 2u);
  start(machine + "devices: [{index: 1, conf_compute: {tdisp_state: 3}}]\n");
  EXPECT_EQ(library_->conf_compute_settings().error().code(), Errc::unknown);
  start(machine +
        "devices: [{index: 0, conf_compute: {tdisp_state: 3}}, {index: 1, conf_compute: {tdisp_state: 3}}]\n");
  EXPECT_EQ(library_->conf_compute_settings().value().tdisp_state, 3u);
}

// A driver of branch 550 has the first version of the function only.
TEST_F(NvlinkEncryption, OlderDriversHaveSettingsWithoutTdispState) {
  const auto driver = SimulatedDriver::create("h100", {.driver = "550"}).value();
  const auto library = Library::from_table(driver.table()).value();
  const auto settings = library.conf_compute_settings().value();
  EXPECT_FALSE(settings.tdisp_state);
  EXPECT_EQ(library.device(0).value().nvlink_remap_table().error().code(), Errc::function_not_found);
}

}  // namespace
}  // namespace nvmlkit::sim
