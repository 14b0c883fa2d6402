// vGPU hosts: types, active vGPUs, where they lie, their scheduler, and what is refused with which error.
#include <cstring>
#include <numeric>
#include <set>
#include <vector>

#include "loaded.hpp"

namespace nvmlkit::driver_test {
namespace {

class Vgpu : public Loaded {
 protected:
  static constexpr const char* kHead = "system: {enforce_privilege: false, num_devices: 2}\n";

  void host(const std::string& first, const std::string& second = "{}") {
    start("base: a40\n" + std::string(kHead) +
          "device_defaults: {virtualization: {mode: host_vgpu}}\n"
          "devices:\n  - {index: 0, vgpu: " +
          first + "}\n  - {index: 1, vgpu: " + second + "}\n");
  }

  void end() {
    call("nvmlShutdown");
    started_ = false;
  }

  template <class Handle>
  static std::vector<unsigned int> list(const char* name, Handle of, nvmlReturn_t expected = NVML_SUCCESS) {
    unsigned int count = 0;
    auto result = call(name, of, &count, static_cast<unsigned int*>(nullptr));
    std::vector<unsigned int> out(count);
    if (result == NVML_ERROR_INSUFFICIENT_SIZE) result = call(name, of, &count, out.data());
    EXPECT_EQ(result, expected) << name;
    return out;
  }
  static std::vector<unsigned int> active(unsigned int gpu = 0) {
    return list("nvmlDeviceGetActiveVgpus", device(gpu));
  }

  static std::string name(unsigned int type) {
    char text[64] = {};
    unsigned int size = sizeof text;
    EXPECT_EQ(call("nvmlVgpuTypeGetName", type, +text, &size), NVML_SUCCESS);
    return text;
  }
  static std::set<std::string> names(const std::vector<unsigned int>& types) {
    std::set<std::string> out;
    for (const auto type : types) out.insert(name(type));
    return out;
  }
  static unsigned long long used() {
    nvmlMemory_v2_t memory{};
    memory.version = version_tag<nvmlMemory_v2_t>;
    EXPECT_EQ(call("nvmlDeviceGetMemoryInfo_v2", device(), &memory), NVML_SUCCESS);
    EXPECT_LE(memory.used + memory.free + memory.reserved, memory.total);
    return memory.used;
  }
  static std::vector<unsigned int> places(const char* name, unsigned int type, unsigned int mode,
                                          nvmlReturn_t expected = NVML_SUCCESS) {
    unsigned int ids[64] = {};
    nvmlVgpuPlacementList_v2_t placements{version_tag<nvmlVgpuPlacementList_v2_t>, 0, 64, ids, mode};
    EXPECT_EQ(call(name, device(), type, &placements), expected);
    return expected == NVML_SUCCESS ? std::vector<unsigned int>(ids, ids + placements.count)
                                    : std::vector<unsigned int>();
  }
};

constexpr unsigned int kA408Q = 562, kA408C = 583, kA4048Q = 566, kA4012Q = 563, kA4016Q = 564, kA401Q = 557;
constexpr unsigned long long kGb = 1ULL << 30;

TEST_F(Vgpu, BareMetalHostsNothing) {
  start("l40s");
  unsigned int count = 0, ids[4] = {}, value = 0;
  EXPECT_EQ(call("nvmlDeviceGetSupportedVgpus", device(), &count, +ids), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetCreatableVgpus", device(), &count, +ids), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetActiveVgpus", device(), &count, +ids), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlVgpuTypeGetNumDisplayHeads", kA408Q, &value), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlVgpuInstanceGetType", 1U, &value), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(call("nvmlGetVgpuDriverCapabilities", NVML_VGPU_DRIVER_CAP_HETEROGENEOUS_MULTI_VGPU, &value),
            NVML_ERROR_NOT_SUPPORTED);
  nvmlVgpuVersion_t supported{}, current{};
  EXPECT_EQ(call("nvmlGetVgpuVersion", &supported, &current), NVML_ERROR_NOT_SUPPORTED);
  nvmlVgpuSchedulerCapabilities_t capabilities{};
  EXPECT_EQ(call("nvmlDeviceGetVgpuSchedulerCapabilities", device(), &capabilities), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(Vgpu, TypesAreThoseOfTheGpu) {
  host("{}");
  const auto all = list("nvmlDeviceGetSupportedVgpus", device());
  EXPECT_EQ(all.size(), 29U);
  EXPECT_EQ(list("nvmlDeviceGetCreatableVgpus", device()), all);
  EXPECT_EQ(name(kA408Q), "NVIDIA A40-8Q");
  unsigned long long bytes = 0, kept = 0, pci = 0, subsystem = 0;
  unsigned int x = 0, y = 0, most = 0, limit = 0, profile = 0;
  EXPECT_EQ(call("nvmlVgpuTypeGetFramebufferSize", kA408Q, &bytes), NVML_SUCCESS);
  EXPECT_EQ(bytes, 8 * kGb);
  EXPECT_EQ(call("nvmlVgpuTypeGetFbReservation", kA408Q, &kept), NVML_SUCCESS);
  EXPECT_EQ(kept, 576ULL << 20);
  EXPECT_EQ(call("nvmlVgpuTypeGetDeviceID", kA408Q, &pci, &subsystem), NVML_SUCCESS);
  EXPECT_EQ(pci, 0x2235U);  // nvidia-smi puts the vendor behind it
  EXPECT_EQ(subsystem, 0x223514DCU);
  EXPECT_EQ(call("nvmlVgpuTypeGetResolution", kA408Q, 3U, &x, &y), NVML_SUCCESS);
  EXPECT_EQ(std::make_pair(x, y), std::make_pair(7680U, 4320U));
  EXPECT_EQ(call("nvmlVgpuTypeGetResolution", kA408Q, 4U, &x, &y), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlVgpuTypeGetMaxInstances", device(), kA408Q, &most), NVML_SUCCESS);
  EXPECT_EQ(most, 6U);
  EXPECT_EQ(call("nvmlVgpuTypeGetMaxInstances", device(), kA401Q, &most), NVML_SUCCESS);
  EXPECT_EQ(most, 32U);
  EXPECT_EQ(call("nvmlVgpuTypeGetFrameRateLimit", 555U, &limit), NVML_SUCCESS);
  EXPECT_EQ(limit, 45U);
  EXPECT_EQ(call("nvmlVgpuTypeGetGpuInstanceProfileId", kA408Q, &profile), NVML_SUCCESS);
  EXPECT_EQ(profile, k_INVALID_GPU_INSTANCE_PROFILE_ID);
  char license[16];
  EXPECT_EQ(call("nvmlVgpuTypeGetLicense", kA408Q, +license, 16U), NVML_ERROR_INSUFFICIENT_SIZE);
  unsigned int size = 3;
  EXPECT_EQ(call("nvmlVgpuTypeGetClass", kA408Q, +license, &size), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(size, sizeof "Quadro");
}

TEST_F(Vgpu, ActiveOnesTakeMemoryAndDecideWhatElseFits) {
  host("{instances: [{type: A40-8Q}, {type: NVIDIA A40-8C}]}");
  const auto ids = active();
  ASSERT_EQ(ids.size(), 2U);
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_EQ(used(), 2 * (8 * kGb - (576ULL << 20)));  // without what the host reserves for each
  // One size at a time, of any series.
  EXPECT_EQ(names(list("nvmlDeviceGetCreatableVgpus", device())),
            (std::set<std::string>{"NVIDIA A40-8Q", "NVIDIA A40-8A", "NVIDIA A40-8C"}));
  EXPECT_TRUE(active(1).empty());
  unsigned int type = 0;
  EXPECT_EQ(call("nvmlVgpuInstanceGetType", ids[1], &type), NVML_SUCCESS);
  EXPECT_EQ(type, kA408C);
  nvmlVgpuPlacementId_t place{version_tag<nvmlVgpuPlacementId_t>, 0};
  EXPECT_EQ(call("nvmlVgpuInstanceGetPlacementId", ids[0], &place), NVML_SUCCESS);
  EXPECT_EQ(place.placementId, static_cast<unsigned int>(INVALID_VGPU_PLACEMENT_ID));
  const nvmlVgpuHeterogeneousMode_t on{version_tag<nvmlVgpuHeterogeneousMode_t>, 1};
  EXPECT_EQ(call("nvmlDeviceSetVgpuHeterogeneousMode", device(), &on), NVML_ERROR_IN_USE);
}

TEST_F(Vgpu, SizesMixInHeterogeneousMode) {
  host("{heterogeneous_mode: enabled, instances: [{type: A40-16Q}, {type: A40-12Q}]}");
  const unsigned int heterogeneous = VGPU_PGPU_HETEROGENEOUS_MODE, homogeneous = VGPU_PGPU_HOMOGENEOUS_MODE;
  const char* supported = "nvmlDeviceGetVgpuTypeSupportedPlacements";
  const char* creatable = "nvmlDeviceGetVgpuTypeCreatablePlacements";
  // A 16 GB vGPU takes a half, a 12 GB one a quarter: 96 steps in all.
  EXPECT_EQ(places(supported, kA4016Q, heterogeneous), (std::vector<unsigned int>{0, 48}));
  EXPECT_EQ(places(supported, kA4012Q, heterogeneous), (std::vector<unsigned int>{0, 24, 48, 72}));
  EXPECT_EQ(places(supported, kA4016Q, homogeneous), (std::vector<unsigned int>{0, 32, 64}));
  EXPECT_EQ(places(creatable, kA4012Q, heterogeneous), (std::vector<unsigned int>{72}));
  EXPECT_TRUE(places(creatable, kA4016Q, heterogeneous).empty());
  places(creatable, kA4012Q, homogeneous, NVML_ERROR_NOT_SUPPORTED);
  EXPECT_FALSE(names(list("nvmlDeviceGetCreatableVgpus", device())).contains("NVIDIA A40-24Q"));
  nvmlVgpuPlacementId_t place{version_tag<nvmlVgpuPlacementId_t>, 0};
  EXPECT_EQ(call("nvmlVgpuInstanceGetPlacementId", active()[1], &place), NVML_SUCCESS);
  EXPECT_EQ(place.placementId, 48U);
  // The first version of the list ends before `mode`.
  unsigned int ids[8] = {};
  struct {
    nvmlVgpuPlacementList_v1_t list;
    unsigned long long behind;
  } old{{version_tag<nvmlVgpuPlacementList_v1_t>, 0, 8, ids}, 0xA5A5A5A5A5A5A5A5ULL};
  EXPECT_EQ(call(supported, device(), kA4012Q, &old.list), NVML_SUCCESS);
  EXPECT_EQ(old.list.count, 4U);
  EXPECT_EQ(old.list.placementSize, 24U);
  EXPECT_EQ(old.behind, 0xA5A5A5A5A5A5A5A5ULL);
  old.list.count = 3;
  EXPECT_EQ(call(supported, device(), kA4012Q, &old.list), NVML_ERROR_INSUFFICIENT_SIZE);
}

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

// A GPU holds 32, the largest one 48: that many run, and no more.
TEST_F(Vgpu, AsManyAsAGpuHolds) {
  struct Case {
    const char *machine, *type;
    unsigned int most;
  };
  for (const auto& [machine, type, most] :
       {Case{"a16", "A16-1B", 16}, Case{"l4", "L4-1Q", 24}, Case{"a40", "A40-1Q", 32}, Case{"h200", "H200X-4C", 32},
        Case{"h200", "H200X-8C", 16}, Case{"rtxpro6000", "RTX Pro 6000 Blackwell DC-2B", 48}}) {
    SCOPED_TRACE(type);
    std::string instances;
    for (unsigned int i = 0; i < most; ++i) instances += "{type: " + std::string(type) + "}, ";
    start("base: " + std::string(machine) +
          "\nsystem: {num_devices: 1}\ndevice_defaults: {virtualization: {mode: host_vgpu}}\n"
          "devices: [{index: 0, vgpu: {instances: [" +
          instances + "]}}]\n");
    const auto ids = active();
    ASSERT_EQ(ids.size(), most);
    EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), most);
    unsigned int id = 0, count = 0;
    ASSERT_EQ(call("nvmlVgpuInstanceGetType", ids.back(), &id), NVML_SUCCESS);
    EXPECT_EQ(call("nvmlVgpuTypeGetMaxInstances", device(), id, &count), NVML_SUCCESS);
    EXPECT_EQ(count, most);
    EXPECT_FALSE(names(list("nvmlDeviceGetCreatableVgpus", device())).contains("NVIDIA " + std::string(type)));
    end();
  }
}

// Of an H200 as many fit where sizes mix as where they do not; an A100's frame buffer is halved.
TEST_F(Vgpu, MixedSizesOfDataCentreGpus) {
  const auto mixed = [&](const char* machine, unsigned int type) {
    start("base: " + std::string(machine) + "\n" + kHead + "device_defaults: {virtualization: {mode: host_vgpu}}\n");
    const auto count = places("nvmlDeviceGetVgpuTypeSupportedPlacements", type, VGPU_PGPU_HETEROGENEOUS_MODE).size();
    end();
    return count;
  };
  EXPECT_EQ(mixed("a100", 459), 4U);    // A100X-8C, of which 5 are equal
  EXPECT_EQ(mixed("h200", 1425), 5U);   // H200X-28C
  EXPECT_EQ(mixed("h200", 1420), 32U);  // H200X-4C
}

// Turing has no SR-IOV and one size at a time; its vGPUs are mediated devices.
TEST_F(Vgpu, BeforeAmpere) {
  start("base: t4\n" + std::string(kHead) +
        "device_defaults: {virtualization: {mode: host_vgpu}, vgpu: {instances: [{type: T4-4Q}]}}\n");
  const auto id = active().at(0);
  EXPECT_EQ(name(232), "GRID T4-4Q");
  char mdev[80] = {}, uuid[80] = {};
  EXPECT_EQ(call("nvmlVgpuInstanceGetMdevUUID", id, +mdev, 80U), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlVgpuInstanceGetUUID", id, +uuid, 80U), NVML_SUCCESS);
  EXPECT_STREQ(mdev, uuid);
  nvmlHostVgpuMode_t mode{};
  EXPECT_EQ(call("nvmlDeviceGetHostVgpuMode", device(), &mode), NVML_SUCCESS);
  EXPECT_EQ(mode, NVML_HOST_VGPU_MODE_NON_SRIOV);
  unsigned int exclusive = 0;
  EXPECT_EQ(call("nvmlVgpuTypeGetCapabilities", 232U, NVML_VGPU_CAP_EXCLUSIVE_SIZE, &exclusive), NVML_SUCCESS);
  EXPECT_EQ(exclusive, 1U);
  const nvmlVgpuHeterogeneousMode_t on{version_tag<nvmlVgpuHeterogeneousMode_t>, 1};
  EXPECT_EQ(call("nvmlDeviceSetVgpuHeterogeneousMode", device(), &on), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceVgpuForceGspUnload", device()), NVML_ERROR_NOT_SUPPORTED);
}

// A host is what it was booted as; between its two modes it changes while no VM runs.
TEST_F(Vgpu, VirtualizationModes) {
  host("{instances: [{type: A40-8Q}]}");
  const auto set = [](unsigned int gpu, nvmlGpuVirtualizationMode_t mode) {
    return call("nvmlDeviceSetVirtualizationMode", device(gpu), mode);
  };
  EXPECT_EQ(set(0, NVML_GPU_VIRTUALIZATION_MODE_HOST_VSGA), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(set(1, NVML_GPU_VIRTUALIZATION_MODE_PASSTHROUGH), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(set(1, NVML_GPU_VIRTUALIZATION_MODE_HOST_VSGA), NVML_SUCCESS);
  unsigned int count = 0;
  EXPECT_EQ(call("nvmlDeviceGetSupportedVgpus", device(1), &count, static_cast<unsigned int*>(nullptr)),
            NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(set(1, NVML_GPU_VIRTUALIZATION_MODE_HOST_VGPU), NVML_SUCCESS);
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

TEST_F(Vgpu, SchedulerInBothGenerations) {
  host("{}", "{instances: [{type: A40-8Q}]}");
  nvmlVgpuSchedulerSetState_t wanted{VGPU_SCHEDULER_POLICY_EQUAL_SHARE, VGPU_SCHEDULER_ARR_DISABLE, {}};
  wanted.schedulerParams.vgpuSchedData.timeslice = 999'999;
  EXPECT_EQ(call("nvmlDeviceSetVgpuSchedulerState", device(), &wanted), NVML_ERROR_INVALID_ARGUMENT);
  wanted.schedulerParams.vgpuSchedData.timeslice = 2'000'000;
  EXPECT_EQ(call("nvmlDeviceSetVgpuSchedulerState", device(), &wanted), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceSetVgpuSchedulerState", device(1), &wanted), NVML_ERROR_NOT_SUPPORTED);  // a VM runs
  nvmlVgpuSchedulerGetState_t state{};
  EXPECT_EQ(call("nvmlDeviceGetVgpuSchedulerState", device(), &state), NVML_SUCCESS);
  EXPECT_EQ(state.schedulerPolicy, static_cast<unsigned int>(VGPU_SCHEDULER_POLICY_EQUAL_SHARE));
  EXPECT_EQ(state.arrMode, static_cast<unsigned int>(VGPU_SCHEDULER_ARR_DISABLE));
  EXPECT_EQ(state.schedulerParams.vgpuSchedData.timeslice, 2'000'000U);
  nvmlVgpuSchedulerState_v2_t newer{VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS, VGPU_SCHEDULER_POLICY_FIXED_SHARE, 20, 500};
  EXPECT_EQ(call("nvmlDeviceSetVgpuSchedulerState_v2", device(), &newer), NVML_SUCCESS);
  nvmlVgpuSchedulerStateInfo_v2_t info{VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS, 0, 0, 0};
  EXPECT_EQ(call("nvmlDeviceGetVgpuSchedulerState_v2", device(), &info), NVML_SUCCESS);
  EXPECT_EQ(info.avgFactor, 20U);
  EXPECT_EQ(info.timeslice, 2'000'000U);
  info.engineId = 4;
  EXPECT_EQ(call("nvmlDeviceGetVgpuSchedulerState_v2", device(), &info), NVML_ERROR_INVALID_ARGUMENT);
  newer.frequency = 961;
  EXPECT_EQ(call("nvmlDeviceSetVgpuSchedulerState_v2", device(), &newer), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Vgpu, SchedulerLogsTurnsWhileTheGpuWorks) {
  start("base: a40\n" + std::string(kHead) +
        "device_defaults: {virtualization: {mode: host_vgpu}, "
        "vgpu: {instances: [{type: A40-8Q}, {type: A40-8Q}]}}\n"
        "devices: [{index: 0, utilization: {gpu: 50}}]\n");
  static nvmlVgpuSchedulerLogInfo_v2_t log;
  log.engineId = VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS;
  EXPECT_EQ(call("nvmlDeviceGetVgpuSchedulerLog_v2", device(), &log), NVML_SUCCESS);
  ASSERT_GT(log.entriesCount, 10U);
  for (unsigned int i = 1; i < log.entriesCount; ++i) {
    EXPECT_NE(log.logEntries[i].swRunlistId, log.logEntries[i - 1].swRunlistId);
    EXPECT_EQ(log.logEntries[i].timestamp - log.logEntries[i - 1].timestamp, log.logEntries[i].targetTimeSlice);
  }
  EXPECT_EQ(call("nvmlDeviceGetVgpuSchedulerLog_v2", device(1), &log), NVML_SUCCESS);
  EXPECT_EQ(log.entriesCount, 0U);
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

TEST_F(Vgpu, OnMigTheyNeedAGpuInstance) {
  start("base: h100\n" + std::string(kHead) +
        "device_defaults:\n"
        "  virtualization: {mode: host_vgpu}\n"
        "  mig: {mode_current: enabled, instances: [{profile: 1g.10gb, bare: true}, {profile: 3g.40gb, bare: true}]}\n"
        "devices: [{index: 0, vgpu: {instances: [{type: H100XM-1-10C}]}}]\n");
  EXPECT_EQ(names(list("nvmlDeviceGetCreatableVgpus", device())), (std::set<std::string>{"NVIDIA H100XM-3-40C"}));
  EXPECT_EQ(names(list("nvmlDeviceGetCreatableVgpus", device(1))),
            (std::set<std::string>{"NVIDIA H100XM-1-10C", "NVIDIA H100XM-3-40C"}));
  const auto id = active().at(0);
  unsigned int in = 0;
  EXPECT_EQ(call("nvmlVgpuInstanceGetGpuInstanceId", id, &in), NVML_SUCCESS);
  nvmlGpuInstance_t instance = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceById", device(), in, &instance), NVML_SUCCESS);
  unsigned int held[4] = {};
  nvmlActiveVgpuInstanceInfo_t active_here{version_tag<nvmlActiveVgpuInstanceInfo_t>, 4, held};
  EXPECT_EQ(call("nvmlGpuInstanceGetActiveVgpus", instance, &active_here), NVML_SUCCESS);
  EXPECT_EQ(active_here.vgpuCount, 1U);
  EXPECT_EQ(held[0], id);
  EXPECT_EQ(call("nvmlGpuInstanceDestroy", instance), NVML_ERROR_IN_USE);
  nvmlVgpuHeterogeneousMode_t mode{version_tag<nvmlVgpuHeterogeneousMode_t>, 0};
  EXPECT_EQ(call("nvmlGpuInstanceGetVgpuHeterogeneousMode", instance, &mode), NVML_ERROR_NOT_SUPPORTED);  // Blackwell
  EXPECT_EQ(call("nvmlDeviceGetVgpuHeterogeneousMode", device(), &mode), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(Vgpu, GpuInstancesOfBlackwellAreShared) {
  start("base: rtxpro6000\n" + std::string(kHead) +
        "device_defaults:\n"
        "  virtualization: {mode: host_vgpu}\n"
        "  mig: {mode_current: enabled, instances: [{profile: 1g.24gb+gfx, bare: true}]}\n");
  constexpr unsigned int k12Q = 1558, k8Q = 1555;
  nvmlGpuInstance_t instance = nullptr;
  nvmlDeviceVgpuCapability_t timeslicing = NVML_DEVICE_VGPU_CAP_MIG_TIMESLICING_ENABLED;
  nvmlVgpuTypeMaxInstance_t most{version_tag<nvmlVgpuTypeMaxInstance_t>, k12Q, 0};
  EXPECT_EQ(call("nvmlVgpuTypeGetMaxInstancesPerGpuInstance", &most), NVML_SUCCESS);
  EXPECT_EQ(most.maxInstancePerGI, 1U);
  EXPECT_EQ(call("nvmlDeviceSetVgpuCapabilities", device(), timeslicing, NVML_FEATURE_ENABLED), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlVgpuTypeGetMaxInstancesPerGpuInstance", &most), NVML_SUCCESS);
  EXPECT_EQ(most.maxInstancePerGI, 2U) << name(k12Q);
  unsigned int id = 0;
  for (; id < 15; ++id)
    if (call("nvmlDeviceGetGpuInstanceById", device(), id, &instance) == NVML_SUCCESS) break;
  const nvmlVgpuHeterogeneousMode_t on{version_tag<nvmlVgpuHeterogeneousMode_t>, 1};
  unsigned int ids[32] = {};
  nvmlVgpuCreatablePlacementInfo_t places{version_tag<nvmlVgpuCreatablePlacementInfo_t>, k8Q, 32, ids, 0};
  EXPECT_EQ(call("nvmlGpuInstanceGetVgpuTypeCreatablePlacements", instance, &places), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlGpuInstanceSetVgpuHeterogeneousMode", instance, &on), NVML_SUCCESS);
  places.count = 32;
  EXPECT_EQ(call("nvmlGpuInstanceGetVgpuTypeCreatablePlacements", instance, &places), NVML_SUCCESS) << name(k8Q);
  EXPECT_EQ(places.count, 2U);
  nvmlVgpuSchedulerState_v1_t wanted{version_tag<nvmlVgpuSchedulerState_v1_t>,
                                     VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS,
                                     VGPU_SCHEDULER_POLICY_EQUAL_SHARE,
                                     VGPU_SCHEDULER_ARR_DEFAULT,
                                     {}};
  EXPECT_EQ(call("nvmlGpuInstanceSetVgpuSchedulerState", instance, &wanted), NVML_SUCCESS);
  nvmlVgpuSchedulerStateInfo_v2_t info{VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS, 0, 0, 0};
  EXPECT_EQ(call("nvmlGpuInstanceGetVgpuSchedulerState_v2", instance, &info), NVML_SUCCESS);
  EXPECT_EQ(info.schedulerPolicy, static_cast<unsigned int>(VGPU_SCHEDULER_POLICY_EQUAL_SHARE));
}

TEST_F(Vgpu, ImpossibleOnesAreRefusedAtTheDoor) {
  const auto refused = [](const std::string& vgpu) {
    const std::string file = testing::TempDir() + "/vgpu_refused_" + std::to_string(getpid()) + ".yaml";
    std::ofstream(file) << "base: l40s\ndevice_defaults: {virtualization: {mode: host_vgpu}}\n"
                        << "devices: [{index: 0, vgpu: {instances: " << vgpu << "}}]\n";
    setenv("NVMLKIT_MACHINE", file.c_str(), 1);
    testing::internal::CaptureStderr();
    EXPECT_NE(call("nvmlInit_v2"), NVML_SUCCESS) << vgpu;
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_NE(refused("[{type: L40S-9Q}]").find("unknown type 'L40S-9Q'; expected one of L40S-1B"), std::string::npos);
  EXPECT_NE(refused("[{type: L40S-8Q}, {type: L40S-4Q}]").find("instances[1]: no room for 'NVIDIA L40S-4Q'"),
            std::string::npos);
  EXPECT_NE(refused("[{type: L40S-8Q, id: 5}, {type: L40S-8Q, id: 5}]").find("id 5 is not free"), std::string::npos);
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
