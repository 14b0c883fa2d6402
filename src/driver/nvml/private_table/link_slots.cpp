// Slots of nvidia-smi's private table about the PCIe tree and NVLink.
#include "driver/nvml/call/call.hpp"
#include "driver/nvml/host/topology.hpp"
#include "driver/nvml/private_table/slots.hpp"
#include "sim/links/links.hpp"
#include "sim/topology/affinity.hpp"
#include "sim/topology/distance.hpp"

namespace nvmlkit::driver::slots {

using sim::model::PciBusId;

// 0 PIX, 1 PXB, 2 PHB, 3 NODE, 4 SYS. The ids are those of GPUs and of network adapters, which this machine may not
// have.
nvmlReturn_t pcie_path(const char* bus_id_a, const char* bus_id_b, unsigned int* path) {
  const auto* machine = initialized_machine();
  const auto a = bus_id_a ? sim::model::parse_pci_bus_id(bus_id_a) : std::nullopt;
  const auto b = bus_id_b ? sim::model::parse_pci_bus_id(bus_id_b) : std::nullopt;
  if (!machine || !a || !b || !path) return NVML_ERROR_INVALID_ARGUMENT;
  const sim::model::Gpu *gpu_a = nullptr, *gpu_b = nullptr;
  for (const auto& gpu : machine->gpus()) {
    if (gpu.pci.bus_id && *gpu.pci.bus_id == *a) gpu_a = &gpu;
    if (gpu.pci.bus_id && *gpu.pci.bus_id == *b) gpu_b = &gpu;
  }
  const auto level = gpu_a && gpu_b ? static_cast<unsigned int>(common_ancestor(*machine, *gpu_a, *gpu_b))
                                    : sim::topology::distance(*machine, *a, *b, NVML_TOPOLOGY_SYSTEM);
  switch (level) {
    case NVML_TOPOLOGY_INTERNAL:
    case NVML_TOPOLOGY_SINGLE:
      *path = 0;
      break;
    case NVML_TOPOLOGY_MULTIPLE:
      *path = 1;
      break;
    case NVML_TOPOLOGY_HOSTBRIDGE:
      *path = 2;
      break;
    case NVML_TOPOLOGY_NODE:
      *path = 3;
      break;
    default:
      *path = 4;
  }
  return NVML_SUCCESS;
}

// A bit for each NUMA node of the nearest CPUs, in `words` words of 64.
nvmlReturn_t nearest_numa_nodes(nvmlDevice_t device, unsigned int words, unsigned long long* mask) {
  const auto* machine = initialized_machine();
  const auto* gpu = machine ? find_gpu(*machine, device) : nullptr;
  if (!gpu || !mask) return NVML_ERROR_INVALID_ARGUMENT;
  const auto nodes = sim::topology::nodes_near(*machine, *gpu, sim::topology::Scope::node);
  for (unsigned int i = 0; i < words; ++i) {
    mask[i] = 0;
    for (std::size_t bit = 0; bit < 64 && i * 64 + bit < nodes.size(); ++bit)
      mask[i] |= static_cast<unsigned long long>(nodes.test(i * 64 + bit)) << bit;
  }
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::slots
