// MIG devices and profiles that were shown are those of the machine.
#include "sim/mig/devices.hpp"
#include "support.hpp"

namespace nvmlkit::smi_log {
namespace {

std::string mig_device(int index, int instance, int compute, int sm, const std::string& memory = {}) {
  const auto line = [](int indent, const std::string& name, int value) {
    return std::string(static_cast<std::size_t>(indent), ' ') + name + " : " + std::to_string(value) + "\n";
  };
  return "    MIG Device\n" + line(8, "Index", index) + line(8, "GPU Instance ID", instance) +
         line(8, "Compute Instance ID", compute) + "        Device Attributes\n            Shared\n" +
         line(16, "Multiprocessor count", sm) + memory;
}

std::string a100(const std::string& lines, const std::string& name = "NVIDIA A100-SXM4-40GB") {
  return text_log("    Product Name : " + name +
                  "\n    Product Architecture : Ampere\n    MIG Mode\n        Current : Enabled\n"
                  "        Pending : Enabled\n" +
                  lines);
}

std::string name_at(const sim::model::Gpu& gpu, std::uint32_t index) {
  const auto device = sim::mig::device_at(gpu, index);
  return device ? std::string(sim::mig::name_of(gpu, *device).view()) : "none";
}

TEST(ImportMig, MakesTheInstancesOfTheDevices) {
  const auto imported = import_text(
      a100(mig_device(0, 2, 0, 14) + mig_device(1, 2, 1, 28) + mig_device(2, 3, 0, 28) + mig_device(3, 9, 0, 14)));
  const auto machine = machine_of(imported);
  ASSERT_TRUE(machine);
  const auto& gpu = machine->gpus()[0];
  EXPECT_EQ(name_at(gpu, 0), "NVIDIA A100-SXM4-40GB MIG 1c.3g.20gb") << imported.yaml;
  EXPECT_EQ(name_at(gpu, 1), "NVIDIA A100-SXM4-40GB MIG 2c.3g.20gb");
  EXPECT_EQ(name_at(gpu, 2), "NVIDIA A100-SXM4-40GB MIG 2g.10gb");
  EXPECT_EQ(name_at(gpu, 3), "NVIDIA A100-SXM4-40GB MIG 1g.5gb");
  EXPECT_EQ(name_at(gpu, 4), "none");
}

TEST(ImportMig, TellsBoardsThatCountFromTheUpperHalf) {
  const auto machine = machine_of(a100(mig_device(0, 1, 0, 42) + mig_device(1, 2, 0, 56)));
  ASSERT_TRUE(machine);
  EXPECT_TRUE(machine->gpus()[0].mig.upper_half_first.value_or(false));
  EXPECT_EQ(name_at(machine->gpus()[0], 1), "NVIDIA A100-SXM4-40GB MIG 4g.20gb");
}

TEST(ImportMig, ScalesTheProfilesOfASiblingWithMoreMemory) {
  const std::string memory = "    FB Memory Usage\n        Total : 81920 MiB\n";
  const auto machine = machine_of(a100(memory + mig_device(0, 3, 0, 28,
                                                           "        FB Memory Usage\n            Total : 19968 MiB\n"
                                                           "            Used : 12 MiB\n            Free : 19955 MiB\n"),
                                       "NVIDIA A100-SXM4-80GB"));
  ASSERT_TRUE(machine);
  const auto& gpu = machine->gpus()[0];
  EXPECT_EQ(name_at(gpu, 0), "NVIDIA A100-SXM4-80GB MIG 2g.20gb");
  const auto device = sim::mig::device_at(gpu, 0);
  ASSERT_TRUE(device);
  EXPECT_EQ(*device->profile->memory_mib, 19968u);
  EXPECT_EQ(*device->instance->idle_kib / 1024, 12u);
  EXPECT_NE(*device->instance->idle_kib % 1024, 0u) << "used and free miss one MiB of the total";
}

TEST(ImportMig, FindsTheSiblingOfAnOldLogWithoutArchitecture) {
  const auto machine =
      machine_of(text_log("    Product Name : A100-PCIE-40GB\n    MIG Mode\n        Current : Enabled\n"
                          "    FB Memory Usage\n        Total : 40536 MiB\n") +
                 mig_device(0, 1, 0, 42, "        FB Memory Usage\n            Total : 20096 MiB\n"));
  ASSERT_TRUE(machine);
  EXPECT_EQ(name_at(machine->gpus()[0], 0), "A100-PCIE-40GB MIG 3g.20gb");
}

TEST(ImportMig, TakesNamesAndUuidsOfTheListing) {
  const auto machine = machine_of(
      "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-01234567-89ab-cdef-0123-456789abcdef)\n"
      "  MIG 1g.5gb+me   Device  0: (UUID: MIG-01234567-89ab-5def-8123-456789abcdef)\n" +
      a100(mig_device(0, 7, 0, 14)));
  ASSERT_TRUE(machine);
  const auto& gpu = machine->gpus()[0];
  EXPECT_EQ(name_at(gpu, 0), "NVIDIA A100-SXM4-40GB MIG 1g.5gb+me");
  EXPECT_EQ(gpu.uuid->view(), "GPU-01234567-89ab-cdef-0123-456789abcdef");
  EXPECT_EQ(sim::mig::uuid_of(gpu, {7, 0}).view(), "MIG-01234567-89ab-5def-8123-456789abcdef");
}

TEST(ImportMig, TakesProfilesOfTheTables) {
  const std::string tables =
      "| GPU instance profiles:                |\n"
      "|   0  MIG 1g.7gb        19     7/7        6.50       No     15     1     0   |\n"
      "|                                                             1     2     0   |\n"
      "|   0  MIG 2g.13gb       77     3/3        13.50      No     30     1     0   |\n"
      "|                                                             2     2     0   |\n"
      "|   0  MIG 7g.53gb        0     1/1        53.50      No     105    5     0   |\n"
      "GPU  0 Profile ID 77 Placements: {0,2,4}:2\n";
  const auto machine = machine_of(a100(mig_device(0, 4, 0, 30)) + tables);
  ASSERT_TRUE(machine);
  const auto& gpu = machine->gpus()[0];
  ASSERT_EQ(gpu.mig.profiles.size(), 3u);
  EXPECT_EQ(*gpu.mig.profiles.items[0].memory_mib, 6656u);
  EXPECT_EQ(*gpu.mig.profiles.items[0].jpeg, 2u);
  EXPECT_EQ(name_at(gpu, 0), "NVIDIA A100-SXM4-40GB MIG 2g.13gb");
}

TEST(ImportMig, GivesProcessesTheirInstance) {
  const auto machine = machine_of(
      a100(mig_device(0, 1, 0, 42,
                      "        FB Memory Usage\n            Total : 20096 MiB\n            Used : 1019 MiB\n"
                      "            Free : 19077 MiB\n") +
           "    Processes\n        GPU instance ID : 1\n        Compute instance ID : 0\n        Process ID : 77\n"
           "            Type : C\n            Used GPU Memory : 1000 MiB\n"));
  ASSERT_TRUE(machine);
  const auto& gpu = machine->gpus()[0];
  ASSERT_EQ(gpu.processes.size(), 1u);
  EXPECT_EQ(*gpu.processes.items[0].gpu_instance, 1u);
  EXPECT_EQ(*gpu.mig.instances.items[0].idle_kib, 19u * 1024);
}

TEST(ImportMig, RefusesADeviceThatIsCut) {
  const std::vector<Input> inputs = {{"log.txt", a100("    MIG Device\n        Index : 0\n")}};
  const auto imported = import_outputs(inputs);
  ASSERT_FALSE(imported);
  EXPECT_EQ(sim::text_of(imported.error()), "log.txt:13: a MIG device without 'GPU Instance ID'; the log is cut here");
}

}  // namespace
}  // namespace nvmlkit::smi_log
