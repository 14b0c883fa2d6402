// Events as records: event bits and GPU operational events of one incident, and their contexts.
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "faults_support.hpp"

namespace nvmlkit::driver_test {
namespace {

class OperationalEvents : public Shared {
 protected:
  void start(const std::string& machine = "h100") {
    start_shared(machine);
    start_library();
  }
  nvmlEventSet_t new_set() {
    nvmlEventSet_t set = nullptr;
    EXPECT_EQ(call("nvmlEventSetCreate", &set), NVML_SUCCESS);
    return set;
  }
  std::string uuid(unsigned int index = 0) {
    char text[96] = {};
    EXPECT_EQ(call("nvmlDeviceGetUUID", device(index), text, 96U), NVML_SUCCESS);
    return text;
  }
  static nvmlReturn_t watch(nvmlEventSet_t set, const std::string& uuid, unsigned int level = 0,
                            unsigned int severity = 0) {
    nvmlGpuOperationalEventConfig_v1_t config{};
    std::memcpy(config.uuid, uuid.data(), std::min(uuid.size(), sizeof config.uuid));
    config.minLogLevel = level;
    config.minSeverity = severity;
    return call("nvmlEventSetRegisterGpuOperationalEvents_v1", set, &config);
  }
  static nvmlReturn_t take(nvmlEventSet_t set, nvmlEventSetWait_v3_t& record, unsigned int ms = 0) {
    record = {};
    record.timeoutMs = ms;
    return call("nvmlEventSetWait_v3", set, &record);
  }
};

TEST_F(OperationalEvents, OneIncidentIsAnEventBitAndARecord) {
  start();
  const auto set = set_for(kXid);
  ASSERT_EQ(watch(set, uuid()), NVML_SUCCESS);
  inject("gpu=0 xid 63");
  nvmlEventSetWait_v3_t record{};
  ASSERT_EQ(take(set, record), NVML_SUCCESS);
  EXPECT_EQ(record.dataType, static_cast<unsigned int>(NVML_EVENT_DATA_TYPE_NVML_EVENT));
  EXPECT_EQ(record.eventType, kXid);
  EXPECT_EQ(record.eventData, 63U);
  EXPECT_EQ(record.uuid, uuid());
  EXPECT_EQ(record.gpuInstanceId, 0xFFFFFFFFU);
  EXPECT_EQ(record.severity, 0U);
  EXPECT_EQ(record.groupSize, 0U);
  EXPECT_EQ(record.timeoutMs, 0U);

  ASSERT_EQ(take(set, record), NVML_SUCCESS);
  EXPECT_EQ(record.dataType, static_cast<unsigned int>(NVML_EVENT_DATA_TYPE_GPU_OPERATIONAL_EVENT));
  EXPECT_EQ(record.eventType, 0U);
  EXPECT_EQ(std::string(record.sourceModule, strnlen(record.sourceModule, 16)), "GPU-RAS");
  EXPECT_EQ(record.moduleEventCode, 1U);
  EXPECT_EQ(record.severity, static_cast<unsigned int>(NVML_OPERATIONAL_EVENT_SEVERITY_RECOVERABLE));
  EXPECT_EQ(record.logLevel, static_cast<unsigned int>(NVML_GPU_OPERATIONAL_EVENT_LOG_LEVEL_NOTICE));
  EXPECT_NE(record.attributes & OPERATIONAL_EVENT_ATTR_PRIMARY, 0U);
  EXPECT_NE(record.groupAttributes & OPERATIONAL_EVENT_GROUP_ATTR_SIMULATED, 0U);
  EXPECT_EQ(record.groupSize, 1U);
  EXPECT_NE(record.instanceId, 0U);
  const auto now =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  EXPECT_NEAR(static_cast<double>(record.timestampUsec), static_cast<double>(now), 60e6);
  EXPECT_EQ(take(set, record), NVML_ERROR_TIMEOUT);
}

TEST_F(OperationalEvents, TheContextIsTheXidOfTheLatestRecord) {
  start();
  const auto set = new_set();
  ASSERT_EQ(watch(set, uuid()), NVML_SUCCESS);
  nvmlEventSetGetContextCount_v1_t count{7};
  EXPECT_EQ(call("nvmlEventSetGetContextCount_v1", set, &count), NVML_SUCCESS);
  EXPECT_EQ(count.count, 0U);
  inject("gpu=0 xid 64");
  nvmlEventSetWait_v3_t record{};
  ASSERT_EQ(take(set, record), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlEventSetGetContextCount_v1", set, &count), NVML_SUCCESS);
  ASSERT_EQ(count.count, 1U);
  nvmlEventSetGetContextInfo_v1_t info{};
  ASSERT_EQ(call("nvmlEventSetGetContextInfo_v1", set, &info), NVML_SUCCESS);
  EXPECT_EQ(info.nvmlGpuOperationalEventContextType,
            static_cast<unsigned int>(NVML_GPU_OPERATIONAL_EVENT_CONTEXT_TYPE_LEGACY_XID));
  nvmlEventSetGetContextData_v1_t data{};
  EXPECT_EQ(call("nvmlEventSetGetContextData_v1", set, &data), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(data.dataSize, info.dataSize);
  std::vector<unsigned char> bytes(info.dataSize);
  data = {bytes.data(), 0, info.dataSize - 1};
  EXPECT_EQ(call("nvmlEventSetGetContextData_v1", set, &data), NVML_ERROR_INSUFFICIENT_SIZE);
  data = {bytes.data(), 0, info.dataSize};
  ASSERT_EQ(call("nvmlEventSetGetContextData_v1", set, &data), NVML_SUCCESS);
  EXPECT_EQ(bytes[0], 64U);
  EXPECT_EQ(bytes.back(), 0U);
  nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1_t xid{};
  ASSERT_EQ(call("nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1", set, &xid), NVML_SUCCESS);
  EXPECT_EQ(xid.xidCode, 64U);
  xid.index = 1;
  EXPECT_EQ(call("nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1", set, &xid), NVML_ERROR_INVALID_ARGUMENT);
  info.index = 1;
  EXPECT_EQ(call("nvmlEventSetGetContextInfo_v1", set, &info), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(OperationalEvents, AnEventBitHasNoContext) {
  start();
  const auto set = set_for(kXid);
  ASSERT_EQ(watch(set, uuid()), NVML_SUCCESS);
  inject("gpu=0 xid 63");
  inject("gpu=0 xid 31");
  nvmlEventSetWait_v3_t record{};
  nvmlEventSetGetContextCount_v1_t count{};
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(take(set, record), NVML_SUCCESS);
    ASSERT_EQ(call("nvmlEventSetGetContextCount_v1", set, &count), NVML_SUCCESS);
    EXPECT_EQ(count.count, record.dataType == NVML_EVENT_DATA_TYPE_GPU_OPERATIONAL_EVENT ? 1U : 0U);
  }
  EXPECT_EQ(take(set, record), NVML_ERROR_TIMEOUT);  // Xid 31 has no operational event in 615
}

TEST_F(OperationalEvents, FiltersByLevelAndSeverity) {
  start();
  const auto errors = new_set(), fatal = new_set(), all = new_set();
  ASSERT_EQ(watch(errors, uuid(), NVML_GPU_OPERATIONAL_EVENT_LOG_LEVEL_ERROR), NVML_SUCCESS);
  ASSERT_EQ(watch(fatal, uuid(), 0, NVML_OPERATIONAL_EVENT_SEVERITY_FATAL), NVML_SUCCESS);
  ASSERT_EQ(watch(all, uuid()), NVML_SUCCESS);
  ASSERT_EQ(watch(all, uuid()), NVML_SUCCESS);  // once more is the same
  inject("gpu=0 xid 63");
  inject("gpu=1 xid 64");  // not registered
  nvmlEventSetWait_v3_t record{};
  EXPECT_EQ(take(errors, record), NVML_ERROR_TIMEOUT);
  EXPECT_EQ(take(fatal, record), NVML_ERROR_TIMEOUT);
  EXPECT_EQ(take(all, record), NVML_SUCCESS);
  EXPECT_EQ(take(all, record), NVML_ERROR_TIMEOUT);
  inject("gpu=0 xid 64");
  for (const auto set : {errors, fatal, all}) {
    ASSERT_EQ(take(set, record), NVML_SUCCESS);
    EXPECT_EQ(record.moduleEventCode, 3U);
    EXPECT_EQ(record.severity, static_cast<unsigned int>(NVML_OPERATIONAL_EVENT_SEVERITY_FATAL));
  }
}

TEST_F(OperationalEvents, WakeAWaitingThread) {
  start();
  const auto set = new_set();
  ASSERT_EQ(watch(set, uuid()), NVML_SUCCESS);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    inject("gpu=0 xid 64");
  });
  nvmlEventSetWait_v3_t record{};
  EXPECT_EQ(take(set, record, 60'000), NVML_SUCCESS);
  later.join();
}

TEST_F(OperationalEvents, OlderWaitsDeliverEventBitsAlone) {
  start();
  const auto set = set_for(kXid);
  ASSERT_EQ(watch(set, uuid()), NVML_SUCCESS);
  inject("gpu=0 xid 63");
  nvmlEventData_t data{};
  EXPECT_EQ(wait(set, data), NVML_SUCCESS);
  EXPECT_EQ(wait(set, data), NVML_ERROR_TIMEOUT);
  nvmlEventSetWait_v3_t record{};
  EXPECT_EQ(take(set, record), NVML_SUCCESS);
  EXPECT_EQ(record.dataType, static_cast<unsigned int>(NVML_EVENT_DATA_TYPE_GPU_OPERATIONAL_EVENT));
}

TEST_F(OperationalEvents, RegistrationRefusesWhatItDoesNotKnow) {
  start();
  const auto set = new_set();
  EXPECT_EQ(watch(set, "MIG-" + uuid().substr(4)), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(watch(set, std::string(96, 'x')), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(watch(set, uuid(), 256), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(watch(set, "GPU-00000000-0000-0000-0000-000000000000"), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(watch(nullptr, uuid()), NVML_ERROR_INVALID_ARGUMENT);
  nvmlEventSetWait_v3_t record{};
  EXPECT_EQ(take(nullptr, record), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(OperationalEvents, OlderGpusHaveNone) {
  start("v100");
  EXPECT_EQ(watch(new_set(), uuid()), NVML_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace nvmlkit::driver_test
