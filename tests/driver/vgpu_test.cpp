// vGPU hosts: types, capacity, placement, and the errors of refused vGPUs.
#include <set>
#include <vector>

#include "vgpu_support.hpp"

namespace nvmlkit::driver_test {
namespace {

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
  EXPECT_EQ(call("nvmlGetVgpuVersion", &supported, &current), NVML_SUCCESS);  // it is the driver's, as on an H100
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

}  // namespace
}  // namespace nvmlkit::driver_test
