// Placements, ids and capacities of GPU instances as captures of hardware show them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../taken.hpp"
#include "sim/config/load.hpp"
#include "sim/mig/devices.hpp"
#include "sim/mig/instances.hpp"
#include "sim/mig/placement.hpp"

namespace nvmlkit::sim::mig {
namespace {

std::unique_ptr<Machine> machine_of(const std::string& text) {
  std::string error;
  auto machine = taken(read_machine("m.yaml", text), error);
  EXPECT_NE(machine, nullptr) << error;
  return machine;
}

std::unique_ptr<Machine> mig_machine(const std::string& base) {
  return machine_of("base: " + base + "\nsystem: {num_devices: 1}\ndevice_defaults: {mig: {mode_current: enabled}}\n");
}

struct Made {
  std::uint32_t id, start, size;
  friend bool operator==(const Made&, const Made&) = default;
};
void PrintTo(const Made& made, std::ostream* out) { *out << made.id << " at " << made.start << ":" << made.size; }

// What `nvidia-smi mig -cgi a,b,c` makes; a profile without room ends it.
std::vector<Made> create(model::Gpu& gpu, const std::vector<std::uint32_t>& profiles) {
  std::vector<Made> out;
  for (const auto id : profiles) {
    const auto* profile = profile_by_id(gpu, id);
    std::uint32_t made = 0;
    if (!profile || create_instance(gpu, *profile, {}, made) != Refusal::none) break;
    out.push_back({made, *find_instance(gpu, made)->start, *profile->size});
  }
  return out;
}

struct Layout {
  const char* machine;
  std::vector<std::uint32_t> profiles;
  std::vector<Made> made;
};

// Captures a100-mig-guide-1, a100-sxm4-40gb-mig-lgip-1, h100-sxm-mig-lgip-1, h200-mig-590.48.01-utku.
const Layout layouts[] = {
    {"a100", {19, 14, 5}, {{13, 6, 1}, {5, 4, 2}, {1, 0, 4}}},
    {"a100", {19, 19, 14, 9}, {{13, 6, 1}, {11, 4, 1}, {3, 0, 2}}},
    {"a100", {9, 19, 14, 19}, {{2, 4, 4}, {7, 0, 1}, {4, 2, 2}, {8, 1, 1}}},
    {"a100", {14, 19, 19, 19, 19, 19}, {{5, 4, 2}, {13, 6, 1}, {7, 0, 1}, {8, 1, 1}, {9, 2, 1}, {10, 3, 1}}},
    {"a100", {9, 9}, {{2, 4, 4}, {1, 0, 4}}},
    {"h100",
     {19, 19, 19, 19, 19, 19, 19},
     {{13, 6, 1}, {11, 4, 1}, {12, 5, 1}, {7, 0, 1}, {8, 1, 1}, {9, 2, 1}, {10, 3, 1}}},
    {"h200", {9, 14, 19, 19}, {{2, 4, 4}, {3, 0, 2}, {9, 2, 1}, {10, 3, 1}}},
    {"b200", {0, 19}, {{0, 0, 8}}},
};

TEST(MigPlacement, IsThatOfCaptures) {
  for (const auto& layout : layouts) {
    const auto machine = mig_machine(layout.machine);
    EXPECT_EQ(create(machine->gpus()[0], layout.profiles), layout.made) << layout.machine;
  }
}

TEST(MigPlacement, IdsMayCountFromTheUpperHalf) {
  const auto machine = mig_machine("a100");
  auto& gpu = machine->gpus()[0];
  gpu.mig.upper_half_first = true;
  EXPECT_EQ(create(gpu, {5, 14, 19}), (std::vector<Made>{{2, 0, 4}, {3, 4, 2}, {9, 6, 1}}));
}

// Four slices, of an A30: capture a30-mig-535.183.01-1.
constexpr const char* kA30 = R"(
base: a100
system: {num_devices: 1}
device_defaults:
  mig:
    mode_current: enabled
    max_gpu_instances: 4
    profiles:
      - {name: 1g.6gb, id: 14, instances: 4, size: 1, starts: [0, 1, 2, 3], memory_mib: 5952, sm: 14, ce: 1, dec: 1}
      - {name: 1g.6gb+me, id: 21, instances: 1, size: 1, starts: [0, 1, 2, 3], memory_mib: 5952, sm: 14, ce: 1, dec: 1,
         jpeg: 1, ofa: 1}
      - {name: 2g.12gb, id: 5, instances: 2, size: 2, starts: [0, 2], memory_mib: 11968, sm: 28, ce: 2, dec: 2}
      - {name: 2g.12gb+me, id: 6, instances: 1, size: 2, starts: [0, 2], memory_mib: 11968, sm: 28, ce: 2, dec: 2,
         jpeg: 1, ofa: 1}
      - {name: 4g.24gb, id: 0, instances: 1, size: 4, starts: [0], memory_mib: 24000, sm: 56, ce: 4, dec: 4, jpeg: 1,
         ofa: 1}
)";

TEST(MigPlacement, OfFourSlices) {
  const auto machine = machine_of(kA30);
  auto& gpu = machine->gpus()[0];
  EXPECT_EQ(create(gpu, {14, 14, 5}), (std::vector<Made>{{3, 0, 1}, {4, 1, 1}, {2, 2, 2}}));
  destroy_all(gpu);
  EXPECT_EQ(create(gpu, {5, 14, 14}), (std::vector<Made>{{1, 0, 2}, {5, 2, 1}, {6, 3, 1}}));
  EXPECT_EQ(bar1_bytes(*&gpu, *profile_by_id(gpu, 14)) >> 20, (gpu.bar1_memory.total_bytes.value >> 20) / 4 - 1);
}

// An instance with all media engines leaves none to others, though there are slices: RTX PRO 6000.
TEST(MigCapacity, EnginesRunOut) {
  const auto machine = machine_of(R"(
base: b200
system: {num_devices: 1}
device_defaults:
  mig:
    mode_current: enabled
    max_gpu_instances: 4
    profiles:
      - {name: 1g.24gb, id: 14, instances: 4, size: 3, starts: [0, 3, 6, 9], memory_mib: 24192, sm: 46, ce: 1, dec: 1, enc: 1, jpeg: 1}
      - {name: 1g.24gb+me.all, id: 65, instances: 1, size: 3, starts: [0, 3, 6, 9], memory_mib: 24192, sm: 46, ce: 1, dec: 4, enc: 4, jpeg: 4, ofa: 1}
      - {name: 1g.24gb-me, id: 67, instances: 4, size: 3, starts: [0, 3, 6, 9], memory_mib: 24192, sm: 46, ce: 1}
      - {name: 4g.96gb, id: 0, instances: 1, size: 12, starts: [0], memory_mib: 97280, sm: 188, ce: 4, dec: 4, enc: 4, jpeg: 4, ofa: 1}
)");
  auto& gpu = machine->gpus()[0];
  EXPECT_EQ(create(gpu, {65}), (std::vector<Made>{{3, 0, 3}}));
  EXPECT_EQ(capacity(gpu, *profile_by_id(gpu, 14)), 0U);
  EXPECT_EQ(capacity(gpu, *profile_by_id(gpu, 65)), 0U);
  EXPECT_EQ(capacity(gpu, *profile_by_id(gpu, 67)), 3U);
}

std::vector<std::uint32_t> capacities(const model::Gpu& gpu) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t id : {19, 20, 15, 14, 9, 5, 0}) out.push_back(capacity(gpu, *profile_by_id(gpu, id)));
  return out;
}

// Capture a100-sxm4-40gb-mig-lgip-1.
TEST(MigCapacity, IsThatOfACapture) {
  const auto machine = mig_machine("a100");
  auto& gpu = machine->gpus()[0];
  using Free = std::vector<std::uint32_t>;
  EXPECT_EQ(capacities(gpu), (Free{7, 1, 4, 3, 2, 1, 1}));
  create(gpu, {5});
  EXPECT_EQ(capacities(gpu), (Free{3, 1, 2, 1, 1, 0, 0}));
  create(gpu, {14});
  EXPECT_EQ(capacities(gpu), (Free{1, 1, 1, 0, 0, 0, 0}));
  create(gpu, {19});
  EXPECT_EQ(capacities(gpu), (Free{0, 0, 0, 0, 0, 0, 0}));
}

std::string compute_table(const model::Gpu& gpu, std::uint32_t profile_id) {
  const auto& profile = *profile_by_id(gpu, profile_id);
  std::string out;
  for (const auto& compute : compute_profiles(gpu, profile)) {
    out += std::string(compute_name(profile, compute).view()) + " " + std::to_string(compute.id) +
           (compute.whole ? "*" : "") + " x" + std::to_string(compute.instances) + " " + std::to_string(compute.sm) +
           "\n";
  }
  return out;
}

// Captures a100-sxm4-40gb-mig-lgip-1, h100-mig-lcip-2g-1, b300-mig-ci-note-1 (the shape of a wide slice).
TEST(MigComputeProfiles, FollowFromTheGpuInstance) {
  const auto ampere = mig_machine("a100"), hopper = mig_machine("h100");
  const auto &a = ampere->gpus()[0], &h = hopper->gpus()[0];
  EXPECT_EQ(compute_table(a, 5), "1c.4g.20gb 0 x4 14\n2c.4g.20gb 1 x2 28\n4g.20gb 3* x1 56\n");
  EXPECT_EQ(compute_table(a, 14), "1c.2g.10gb 0 x2 14\n2g.10gb 1* x1 28\n");
  EXPECT_EQ(compute_table(a, 19), "1g.5gb 0* x1 14\n");
  EXPECT_EQ(compute_table(a, 15), "1g.10gb 0* x1 14\n");
  EXPECT_EQ(compute_table(h, 14), "1c.2g.20gb 0 x2 16\n2g.20gb 1* x1 32\n1c.2g.20gb 7 x1 26\n");
  EXPECT_EQ(compute_table(h, 15), "1c.1g.20gb 0 x1 16\n1g.20gb 7* x1 26\n");
}

// Each name stands for one constant of NVML, and there and back is the same profile.
TEST(MigProfiles, HaveNumbers) {
  for (const auto* base : {"a100", "a100-80gb", "h100", "h200", "b200", "b300", "gb200", "gb300", "vr200"}) {
    const auto machine = mig_machine(base);
    const auto& gpu = machine->gpus()[0];
    EXPECT_EQ(gpu.mig.profiles.size(), 7U) << base;
    for (const auto& profile : gpu.mig.profiles)
      EXPECT_EQ(profile_by_number(gpu, number_of(gpu, profile)), &profile) << base << " " << profile.name->view();
  }
}

TEST(MigConfig, InstancesStartWithTheMachine) {
  const auto machine = machine_of(R"(
base: h100
system: {num_devices: 1}
device_defaults:
  mig:
    mode_current: enabled
    instances:
      - {profile: 1g.10gb}
      - {profile: 3g.40gb, start: 0, compute_instances: [{profile: 1c.3g.40gb}, {profile: 2c.3g.40gb}]}
      - {profile: 2g.20gb, bare: true, sram_uncorrectable: 3}
)");
  const auto& gpu = machine->gpus()[0];
  std::vector<std::string> names;
  for (std::uint32_t i = 0; const auto device = device_at(gpu, i); ++i)
    names.emplace_back(std::to_string(device->id().instance) + "/" + std::to_string(device->id().compute) + " " +
                       std::string(name_of(gpu, *device).view()));
  EXPECT_EQ(names, (std::vector<std::string>{"1/0 NVIDIA H100 80GB HBM3 MIG 1c.3g.40gb",
                                             "1/1 NVIDIA H100 80GB HBM3 MIG 2c.3g.40gb",
                                             "13/0 NVIDIA H100 80GB HBM3 MIG 1g.10gb"}));
  EXPECT_EQ(*find_instance(gpu, 5)->sram_uncorrectable, 3U);
}

// A file that describes such a GPU itself has its profiles all the same.
TEST(MigConfig, ProfilesOfAKnownGpuNeedNotBeWritten) {
  const auto machine = machine_of(
      "device_defaults: {name: NVIDIA H200, mig: {mode_current: disabled}}\n"
      "devices: [{index: 0}, {index: 1, name: Own GPU}]\n");
  EXPECT_EQ(machine->gpus()[0].mig.profiles.size(), 7U);
  EXPECT_EQ(machine->gpus()[1].mig.profiles.size(), 0U);
}

TEST(MigDevices, HaveUuidsOfTheirOwn) {
  const auto machine = mig_machine("a100");
  const auto& gpu = machine->gpus()[0];
  std::vector<std::string> seen;
  for (std::uint32_t instance = 0; instance <= kMaxInstanceId; ++instance)
    for (std::uint32_t compute = 0; compute < 8; ++compute) {
      const std::string uuid(uuid_of(gpu, {instance, compute}).view());
      EXPECT_EQ(uuid.size(), 40U);
      EXPECT_TRUE(uuid.starts_with("MIG-")) << uuid;
      EXPECT_EQ(std::count(seen.begin(), seen.end(), uuid), 0) << uuid;
      seen.push_back(uuid);
    }
}

}  // namespace
}  // namespace nvmlkit::sim::mig
