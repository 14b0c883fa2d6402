// Unversioned names keep the layout that they had when they were young.
#include <cstring>

#include "loaded.hpp"
#include "nvmlkit/abi/legacy.hpp"

namespace nvmlkit::driver_test {
namespace {

constexpr char kMachine[] = R"(version: "1.0"
base: h100
devices:
  - index: 0
    pci: {bus_id: "0000:1A:00.0"}
    processes:
      - {pid: 7, type: C, used_memory_mib: 3}
      - {pid: 8, type: C, used_memory_mib: 5}
)";

class Abi : public Loaded {};

TEST_F(Abi, PciInfoOfTheFirstNamesHas52Bytes) {
  start(kMachine);
  for (const char* name : {"nvmlDeviceGetPciInfo", "nvmlDeviceGetPciInfo_v2"}) {
    unsigned char bytes[80];
    std::memset(bytes, 0xA5, sizeof bytes);
    ASSERT_EQ(call(name, device(), static_cast<void*>(bytes)), NVML_SUCCESS) << name;
    nvmlPciInfo_v2_t info;
    std::memcpy(&info, bytes, sizeof info);
    EXPECT_STREQ(info.busId, "0000:1A:00.0") << name;
    EXPECT_EQ(info.bus, 0x1AU) << name;
    EXPECT_EQ(info.pciDeviceId, 0x233010DEU) << name;
    for (std::size_t i = 52; i < sizeof bytes; ++i) EXPECT_EQ(bytes[i], 0xA5) << name << " wrote byte " << i;
  }
}

TEST_F(Abi, PciInfoOfTheThirdNameHasBothSpellings) {
  start(kMachine);
  nvmlPciInfo_t info{};
  ASSERT_EQ(call("nvmlDeviceGetPciInfo_v3", device(), &info), NVML_SUCCESS);
  EXPECT_STREQ(info.busIdLegacy, "0000:1A:00.0");
  EXPECT_STREQ(info.busId, "00000000:1A:00.0");
}

TEST_F(Abi, ProcessesOfTheFirstNameHave16Bytes) {
  start(kMachine);
  nvmlProcessInfo_v1_t old[4];
  std::memset(old, 0xA5, sizeof old);
  unsigned int count = 4;
  ASSERT_EQ(call("nvmlDeviceGetComputeRunningProcesses", device(), &count, &old[0]), NVML_SUCCESS);
  ASSERT_EQ(count, 2U);
  EXPECT_EQ(old[1].pid, 8U);
  EXPECT_EQ(old[1].usedGpuMemory, 5ULL << 20);
  const auto* behind = reinterpret_cast<const unsigned char*>(&old[2]);
  for (std::size_t i = 0; i < 2 * sizeof *old; ++i) EXPECT_EQ(behind[i], 0xA5);

  for (const char* name : {"nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetComputeRunningProcesses_v3"}) {
    nvmlProcessInfo_v2_t infos[2]{};
    count = 2;
    ASSERT_EQ(call(name, device(), &count, &infos[0]), NVML_SUCCESS) << name;
    EXPECT_EQ(infos[1].pid, 8U);
    EXPECT_EQ(infos[1].gpuInstanceId, 0xFFFFFFFFU);
    EXPECT_EQ(infos[1].computeInstanceId, 0xFFFFFFFFU);
  }
}

TEST_F(Abi, ProcessListTellsTheCount) {
  start(kMachine);
  unsigned int count = 0;
  EXPECT_EQ(call("nvmlDeviceGetComputeRunningProcesses_v3", device(), &count, static_cast<void*>(nullptr)),
            NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(count, 2U);
}

TEST_F(Abi, MemoryOfTheFirstVersionCountsReservedAsUsed) {
  start("h100");
  nvmlMemory_t v1{};
  nvmlMemory_v2_t v2{};
  v2.version = version_tag<nvmlMemory_v2_t>;
  ASSERT_EQ(call("nvmlDeviceGetMemoryInfo", device(), &v1), NVML_SUCCESS);
  ASSERT_EQ(call("nvmlDeviceGetMemoryInfo_v2", device(), &v2), NVML_SUCCESS);
  EXPECT_EQ(v1.used + v1.free, v1.total);
  EXPECT_EQ(v2.used + v2.free + v2.reserved, v2.total);
  EXPECT_EQ(v1.used, v2.used + v2.reserved);
  EXPECT_EQ(v2.total, 81559ULL << 20);
}

}  // namespace
}  // namespace nvmlkit::driver_test
