// `topo -m` gives the PCIe tree, its adapters and the NVLinks.
#include "sim/topology/distance.hpp"
#include "support.hpp"

namespace nvmlkit::smi_log {
namespace {

using sim::model::TopologyLevel;

std::string gpus(int count) {
  std::string out = "Driver Version : 550.90.07\n";
  for (int i = 0; i < count; ++i)
    out += "GPU 00000000:" + std::to_string(i + 1) + "A:00.0\n    Product Name : Some GPU\n" +
           "    Product Architecture : Ampere\n";
  return out;
}

constexpr const char* kMatrix =
    "$ nvidia-smi topo -m\n"
    "\tGPU0\tGPU1\tGPU2\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    "GPU0\t X \tNV4\tSYS\tPXB\tSYS\t0-31\t0\t\tN/A\n"
    "GPU1\tNV4\t X \tSYS\tPXB\tSYS\t0-31\t0\t\tN/A\n"
    "GPU2\tSYS\tSYS\t X \tSYS\tPIX\t32-63\t1\t\tN/A\n"
    "NIC0\tPXB\tPXB\tSYS\t X \tSYS\t\t\t\t\n"
    "NIC1\tSYS\tSYS\tPIX\tSYS\t X \t\t\t\t\n\n"
    "Legend:\n\n  X    = Self\n  SYS  = Connection\n\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_bond_0\n";

std::uint32_t distance(const sim::Machine& machine, const sim::model::PciBusId& a, const sim::model::PciBusId& b) {
  return sim::topology::distance(machine, a, b, TopologyLevel::system);
}

void expect_the_matrix(const Imported& imported) {
  const auto machine = machine_of(imported);
  ASSERT_TRUE(machine);
  const auto& host = machine->host();
  ASSERT_EQ(host.pcie_topology.nics.size(), 2u) << imported.yaml;
  const auto& nics = host.pcie_topology.nics.items;
  EXPECT_EQ(nics[0].name->view(), "mlx5_0");
  EXPECT_EQ(nics[1].name->view(), "mlx5_bond_0");
  const auto gpu = [&](std::size_t i) { return *machine->gpus()[i].pci.bus_id; };
  EXPECT_EQ(distance(*machine, gpu(0), *nics[0].bus_id), TopologyLevel::multiple);
  EXPECT_EQ(distance(*machine, gpu(1), *nics[0].bus_id), TopologyLevel::multiple);
  EXPECT_EQ(distance(*machine, gpu(2), *nics[1].bus_id), TopologyLevel::single);
  EXPECT_EQ(distance(*machine, gpu(2), *nics[0].bus_id), TopologyLevel::system);
  ASSERT_EQ(host.nvlink.connections.size(), 1u);
  EXPECT_EQ(*host.nvlink.connections.items[0].links, 4u);
  EXPECT_EQ(*host.nvlink.links_per_gpu, 4u);
}

TEST(ImportTopology, HasTheAdaptersAndTheLinks) {
  const auto imported = import_text(gpus(3) + kMatrix);
  EXPECT_EQ(imported.leftovers.others.size(), 1u) << "the command";
  expect_the_matrix(imported);
}

TEST(ImportTopology, IsReadWithSpacesForTabs) {
  std::string text = kMatrix;
  for (std::size_t at = 0; (at = text.find('\t', at)) != std::string::npos;) text.replace(at, 1, "    ");
  expect_the_matrix(import_text(gpus(3) + text));
}

TEST(ImportTopology, GpusOfOneNodeMayBeFarApart) {
  const auto machine = machine_of(gpus(2) +
                                  "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
                                  "GPU0\t X \tSYS\t0-7\t0\nGPU1\tSYS\t X \t0-7\t0\n");
  ASSERT_TRUE(machine);
  EXPECT_EQ(distance(*machine, *machine->gpus()[0].pci.bus_id, *machine->gpus()[1].pci.bus_id), TopologyLevel::system);
  EXPECT_EQ(*machine->host().pcie_topology.root_complexes.items[1].numa_node, 0u);
}

TEST(ImportTopology, AlikeCountsAreSwitches) {
  const auto machine = machine_of(gpus(3) +
                                  "\tGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity\n"
                                  "GPU0\t X \tNV12\tNV12\t0-7\t0\nGPU1\tNV12\t X \tNV12\t0-7\t0\n"
                                  "GPU2\tNV12\tNV12\t X \t0-7\t0\n");
  ASSERT_TRUE(machine);
  EXPECT_TRUE(machine->host().nvlink.connections.empty());
  EXPECT_EQ(*machine->host().nvlink.links_per_gpu, 12u);
  EXPECT_EQ(*machine->host().nvlink.version, 3u);
}

}  // namespace
}  // namespace nvmlkit::smi_log
