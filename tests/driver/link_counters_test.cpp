// Counters of NVLink: what workloads, faults and resets do to them.
#include <cmath>
#include <vector>

#include "links_support.hpp"

namespace nvmlkit::driver_test {
namespace {

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

// UINT_MAX as scope: all links together, as DCGM asks.
TEST_F(Links, CountersOfNvlink5AddUpOverAllLinks) {
  constexpr unsigned int kAll = 0xFFFFFFFF, kLinks = 18;
  for (const char* machine : {"b200", "gb200"}) {
    start_shared(machine, "1");
    start_library();
    stop_time();
    load(50);
    inject("gpu=0 nvlink 3 errors");
    inject("gpu=0 nvlink 11 errors");
    advance(20);
    inject("gpu=0 nvlink 7 down");
    advance(3);
    std::vector<unsigned int> ids;
    for (unsigned int id = FI_DEV_NVLINK_COUNT_XMIT_PACKETS; id <= FI_DEV_NVLINK_COUNT_LINK_RECOVERY_EVENTS; ++id)
      ids.push_back(id);
    ids.insert(ids.end(), {FI_DEV_NVLINK_COUNT_EFFECTIVE_ERRORS, FI_DEV_NVLINK_COUNT_SYMBOL_ERRORS});
    for (unsigned int id = FI_DEV_NVLINK_COUNT_FEC_HISTORY_0; id <= FI_DEV_NVLINK_COUNT_FEC_HISTORY_15; ++id)
      ids.push_back(id);
    for (const auto id : ids) {
      unsigned long long sum = 0;
      for (unsigned int link = 0; link < kLinks; ++link) {
        EXPECT_EQ(field(id, link).nvmlReturn, NVML_SUCCESS) << machine << ' ' << id;
        sum += field(id, link).value.ullVal;
      }
      const auto all = field(id, kAll);
      EXPECT_EQ(all.nvmlReturn, NVML_SUCCESS) << machine << ' ' << id;
      EXPECT_EQ(all.valueType, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
      EXPECT_EQ(all.value.ullVal, sum) << machine << ' ' << id;
    }
    EXPECT_EQ(field(FI_DEV_NVLINK_COUNT_SYMBOL_ERRORS, kAll).value.ullVal, 46U);
    EXPECT_GT(field(FI_DEV_NVLINK_COUNT_XMIT_BYTES, kAll).value.ullVal, 0U);
    EXPECT_EQ(field(FI_DEV_NVLINK_COUNT_LINK_RECOVERY_EVENTS, kAll).value.ullVal, 1U);
    // The rate of all bits: lower than that of a link with errors, higher than that of one without.
    for (const auto id : {FI_DEV_NVLINK_COUNT_EFFECTIVE_BER, FI_DEV_NVLINK_COUNT_SYMBOL_BER}) {
      const auto rate = [&](unsigned int link) {
        const auto packed = field(static_cast<unsigned int>(id), link).value.ullVal;
        return static_cast<double>(packed >> 8 & 0xF) * std::pow(10.0, -static_cast<double>(packed & 0xFF));
      };
      const double bits = 8.0 * static_cast<double>(field(FI_DEV_NVLINK_COUNT_XMIT_BYTES, kAll).value.ullVal);
      EXPECT_NEAR(rate(kAll), 46 / bits, 46 / bits) << machine;
      EXPECT_GT(rate(3), rate(kAll)) << machine;
      EXPECT_LT(rate(0), rate(kAll)) << machine;
    }
    EXPECT_EQ(field(FI_DEV_NVLINK_COUNT_RAW_BER, kAll).nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(field(FI_DEV_NVLINK_COUNT_RCV_ERRORS, kLinks).nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
    call("nvmlShutdown");
    started_ = false;
  }
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

}  // namespace
}  // namespace nvmlkit::driver_test
