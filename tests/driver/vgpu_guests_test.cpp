// Active vGPUs and their VMs: processes, utilization, accounting, licenses, migration.
#include <cstring>
#include <vector>

#include "vgpu_support.hpp"

namespace nvmlkit::driver_test {
namespace {

// As a host with an A16 showed two VMs.
TEST_F(Vgpu, ProcessesOfTheHostRunThem) {
  start(
      "base: a16\nsystem: {num_devices: 2}\ndevice_defaults: {virtualization: {mode: host_vgpu}}\n"
      "devices: [{index: 0, vgpu: {instances: [{type: A16-1B, host_pid: 3500}, {type: A16-1B}]}}]\n");
  EXPECT_EQ(used(), 1792ULL << 20);
  for (const char* list : {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v3"}) {
    nvmlProcessInfo_t processes[4] = {};
    unsigned int count = 4;
    ASSERT_EQ(call(list, device(), &count, +processes), NVML_SUCCESS);
    ASSERT_EQ(count, 2U);
    EXPECT_EQ(processes[0].pid, 3500U);
    EXPECT_GT(processes[1].pid, 99'999U);
    for (unsigned int i = 0; i < count; ++i) {
      EXPECT_EQ(processes[i].usedGpuMemory, 896ULL << 20);
      char name[32] = {};
      EXPECT_EQ(call("nvmlSystemGetProcessName", processes[i].pid, +name, 32U), NVML_SUCCESS);
      EXPECT_STREQ(name, "vgpu");
    }
    EXPECT_EQ(call(list, device(1), &count, +processes), NVML_SUCCESS);
    EXPECT_EQ(count, 0U);
  }
}

TEST_F(Vgpu, NoDriverInTheVmNoAnswersFromThere) {
  host("{instances: [{type: A40-8Q, guest_driver: \"\", license: unlicensed, vm_id: \"17\"}]}");
  const auto id = active().at(0);
  char text[80] = {};
  unsigned int size = sizeof text, licensed = 9;
  EXPECT_EQ(call("nvmlVgpuInstanceGetVmDriverVersion", id, +text, 80U), NVML_SUCCESS);
  EXPECT_STREQ(text, "Not Available");
  EXPECT_EQ(call("nvmlVgpuInstanceGetGpuPciId", id, +text, &size), NVML_SUCCESS);
  EXPECT_STREQ(text, "00000000:00:00.0");
  nvmlEnableState_t mode{};
  EXPECT_EQ(call("nvmlVgpuInstanceGetAccountingMode", id, &mode), NVML_ERROR_DRIVER_NOT_LOADED);
  unsigned long long bytes = 9;
  EXPECT_EQ(call("nvmlVgpuInstanceGetFbUsage", id, &bytes), NVML_SUCCESS);
  EXPECT_EQ(bytes, 0U);
  EXPECT_EQ(call("nvmlVgpuInstanceGetLicenseStatus", id, &licensed), NVML_SUCCESS);
  EXPECT_EQ(licensed, 0U);
  nvmlVgpuLicenseInfo_t license{};
  EXPECT_EQ(call("nvmlVgpuInstanceGetLicenseInfo_v2", id, &license), NVML_SUCCESS);
  EXPECT_EQ(license.currentState, static_cast<unsigned int>(GRID_LICENSE_STATE_UNLICENSED));
  EXPECT_EQ(license.licenseExpiry.status, GRID_LICENSE_EXPIRY_NOT_APPLICABLE);
  nvmlVgpuVmIdType_t kind{};
  EXPECT_EQ(call("nvmlVgpuInstanceGetVmID", id, +text, 80U, &kind), NVML_SUCCESS);
  EXPECT_STREQ(text, "17");
  EXPECT_EQ(kind, NVML_VGPU_VM_ID_DOMAIN_ID);
}

TEST_F(Vgpu, LicensesEndOnADay) {
  host("{instances: [{type: A40-8Q, license_expiry: 1893456000}]}");
  nvmlVgpuLicenseInfo_t license{};
  EXPECT_EQ(call("nvmlVgpuInstanceGetLicenseInfo_v2", active().at(0), &license), NVML_SUCCESS);
  EXPECT_EQ(license.isLicensed, 1);
  EXPECT_EQ(license.licenseExpiry.status, GRID_LICENSE_EXPIRY_VALID);
  EXPECT_EQ(license.licenseExpiry.year, 2030U);
  EXPECT_EQ(license.licenseExpiry.month, 1);
  EXPECT_EQ(license.licenseExpiry.day, 1);
}

TEST_F(Vgpu, UtilizationIsAPartOfTheGpus) {
  start("base: a40\n" + std::string(kHead) +
        "device_defaults: {virtualization: {mode: host_vgpu}}\n"
        "devices:\n"
        "  - index: 0\n"
        "    utilization: {gpu: 80, memory: 40, encoder: 12}\n"
        "    vgpu:\n"
        "      instances:\n"
        "        - {type: A40-8Q, share: 3, processes: [{pid: 7, name: a}, {pid: 8, name: b, ended: true}]}\n"
        "        - {type: A40-8Q}\n"
        "        - {type: A40-8Q, guest_driver: \"\"}\n");
  nvmlVgpuInstanceUtilizationSample_t samples[8] = {};
  nvmlValueType_t kind{};
  unsigned int count = 0;
  const char* name = "nvmlDeviceGetVgpuUtilization";
  const auto none = static_cast<nvmlVgpuInstanceUtilizationSample_t*>(nullptr);
  EXPECT_EQ(call(name, device(), 0ULL, &kind, &count, none), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(call(name, device(), 0ULL, &kind, &count, +samples), NVML_SUCCESS);
  EXPECT_EQ(kind, NVML_VALUE_TYPE_UNSIGNED_INT);
  EXPECT_EQ(samples[0].smUtil.uiVal, 60U);
  EXPECT_EQ(samples[0].encUtil.uiVal, 9U);
  EXPECT_EQ(samples[1].smUtil.uiVal, 20U);
  EXPECT_EQ(samples[2].smUtil.uiVal, 0U);
  EXPECT_EQ(call(name, device(), ~0ULL, &kind, &count, +samples), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(call(name, device(1), 0ULL, &kind, &count, +samples), NVML_ERROR_NOT_FOUND);
  nvmlVgpuProcessUtilizationSample_t processes[4] = {};
  count = 4;
  EXPECT_EQ(call("nvmlDeviceGetVgpuProcessUtilization", device(), 0ULL, &count, +processes), NVML_SUCCESS);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(processes[0].pid, 7U);
  EXPECT_EQ(processes[0].smUtil, 60U);
}

TEST_F(Vgpu, AccountingOfTheVm) {
  host(
      "{instances: [{type: A40-8Q, accounting: enabled, processes: [{pid: 7, used_memory_mib: 100}, "
      "{pid: 8, ended: true, time_ms: 1500}]}]}");
  const auto id = active().at(0);
  EXPECT_EQ(list("nvmlVgpuInstanceGetAccountingPids", id), (std::vector<unsigned int>{7, 8}));
  nvmlAccountingStats_t stats{};
  EXPECT_EQ(call("nvmlVgpuInstanceGetAccountingStats", id, 8U, &stats), NVML_SUCCESS);
  EXPECT_EQ(stats.time, 1500U);
  EXPECT_EQ(stats.isRunning, 0U);
  EXPECT_EQ(call("nvmlVgpuInstanceGetAccountingStats", id, 9U, &stats), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(call("nvmlVgpuInstanceClearAccountingPids", id), NVML_SUCCESS);
  EXPECT_EQ(list("nvmlVgpuInstanceGetAccountingPids", id), (std::vector<unsigned int>{7}));
  EXPECT_EQ(call("nvmlVgpuInstanceSetEncoderCapacity", id, 101U), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlVgpuInstanceSetEncoderCapacity", id, 50U), NVML_SUCCESS);
  unsigned int capacity = 0;
  EXPECT_EQ(call("nvmlVgpuInstanceGetEncoderCapacity", id, &capacity), NVML_SUCCESS);
  EXPECT_EQ(capacity, 50U);
}

TEST_F(Vgpu, MetadataSaysWhereAVmMayGo) {
  host("{instances: [{type: A40-8Q}]}");
  const auto id = active().at(0);
  unsigned int size = 0;
  EXPECT_EQ(call("nvmlVgpuInstanceGetMetadata", id, static_cast<nvmlVgpuMetadata_t*>(nullptr), &size),
            NVML_ERROR_INSUFFICIENT_SIZE);
  std::vector<unsigned char> vgpu(size), pgpu(1024);
  auto* of_vgpu = reinterpret_cast<nvmlVgpuMetadata_t*>(vgpu.data());
  auto* of_gpu = reinterpret_cast<nvmlVgpuPgpuMetadata_t*>(pgpu.data());
  EXPECT_EQ(call("nvmlVgpuInstanceGetMetadata", id, of_vgpu, &size), NVML_SUCCESS);
  EXPECT_STREQ(of_vgpu->guestDriverVersion, "550.163.01");
  size = 1024;
  EXPECT_EQ(call("nvmlDeviceGetVgpuMetadata", device(1), of_gpu, &size), NVML_SUCCESS);
  nvmlVgpuPgpuCompatibility_t answer{};
  const char* ask = "nvmlGetVgpuCompatibility";
  EXPECT_EQ(call(ask, of_vgpu, of_gpu, &answer), NVML_SUCCESS);
  EXPECT_EQ(answer.compatibilityLimitCode, NVML_VGPU_COMPATIBILITY_LIMIT_NONE);
  EXPECT_TRUE(answer.vgpuVmCompatibility & NVML_VGPU_VM_COMPATIBILITY_LIVE);
  // The same of an A10, by its PCI id.
  auto other = pgpu;
  const unsigned int a10 = 0x2236;
  std::memcpy(other.data() + offsetof(nvmlVgpuPgpuMetadata_t, opaqueData) + 8, &a10, sizeof a10);
  EXPECT_EQ(call(ask, of_vgpu, reinterpret_cast<nvmlVgpuPgpuMetadata_t*>(other.data()), &answer), NVML_SUCCESS);
  EXPECT_EQ(answer.compatibilityLimitCode, NVML_VGPU_COMPATIBILITY_LIMIT_GPU);
  of_gpu->hostSupportedVgpuRange.maxVersion = of_vgpu->guestVgpuVersion - 1;
  EXPECT_EQ(call(ask, of_vgpu, of_gpu, &answer), NVML_SUCCESS);
  EXPECT_EQ(answer.compatibilityLimitCode, NVML_VGPU_COMPATIBILITY_LIMIT_GUEST_DRIVER);
  of_vgpu->opaqueDataSize = 4;
  EXPECT_EQ(call(ask, of_vgpu, of_gpu, &answer), NVML_ERROR_INVALID_ARGUMENT);
  nvmlVgpuVersion_t supported{}, current{};
  EXPECT_EQ(call("nvmlGetVgpuVersion", &supported, &current), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlSetVgpuVersion", &current), NVML_ERROR_IN_USE);
  ++supported.maxVersion;
  EXPECT_EQ(call("nvmlSetVgpuVersion", &supported), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Vgpu, GuestsHaveALicense) {
  start("base: a10\n" + std::string(kHead) +
        "device_defaults: {virtualization: {mode: vgpu}, grid_license: {product: NVIDIA RTX Virtual Workstation, "
        "expiry: 1893456000}}\n");
  nvmlGridLicensableFeatures_t features{};
  EXPECT_EQ(call("nvmlDeviceGetGridLicensableFeatures_v4", device(), &features), NVML_SUCCESS);
  EXPECT_EQ(features.isGridLicenseSupported, 1);
  ASSERT_EQ(features.licensableFeaturesCount, 1U);
  const auto& feature = features.gridLicensableFeatures[0];
  EXPECT_STREQ(feature.productName, "NVIDIA RTX Virtual Workstation");
  EXPECT_EQ(feature.featureState, 1U);
  EXPECT_EQ(feature.licenseExpiry.year, 2030U);
}

}  // namespace
}  // namespace nvmlkit::driver_test
