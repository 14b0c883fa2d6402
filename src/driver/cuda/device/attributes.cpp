#include "driver/cuda/device/attributes.hpp"

#include "driver/cuda/mps/mps.hpp"
#include "driver/cuda/process.hpp"

namespace nvmlkit::cuda {

long long attribute_of(const Device& device, CUdevice_attribute which) {
  return device.read([&](const sim::model::Gpu& gpu) {
    if (device.mig() && which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) {
      const auto part = sim::mig::find_device(gpu, *device.mig());
      return part ? mps::multiprocessors(part->compute_profile.sm, gpu, device.mig()) : 0;
    }
    return attribute(device.machine(), gpu, which).value_or(0);
  });
}

long long by_capability(const sim::model::Gpu& gpu, std::initializer_list<std::pair<int, long long>> entries) {
  const auto own = static_cast<int>(10 * number(gpu.compute_capability.major) + number(gpu.compute_capability.minor));
  long long value = entries.begin()->second;
  for (const auto& [capability, entry] : entries)
    if (capability <= own) value = entry;
  return value;
}

std::optional<long long> since(int version, const sim::Machine& machine, long long answer) {
  return machine_version(machine) >= version ? std::optional(answer) : std::nullopt;
}

namespace attributes {

long long MULTIPROCESSOR_COUNT(const sim::Machine&, const sim::model::Gpu& gpu) {
  return mps::multiprocessors(number(gpu.num_gpu_cores) / by_capability(gpu, {{70, 64}, {86, 128}}), gpu);
}

long long MPS_ENABLED(const sim::Machine&, const sim::model::Gpu&) { return mps::is_client() ? 1 : 0; }

// In sixteenths; GPUs before compute capability 8 keep nothing.
long long MAX_PERSISTING_L2_CACHE_SIZE(const sim::Machine&, const sim::model::Gpu& gpu) {
  return number(gpu.memory.l2_cache_bytes) / 16 * by_capability(gpu, {{70, 0}, {80, 10}, {86, 11}, {90, 10}});
}

long long PCI_BUS_ID(const sim::Machine&, const sim::model::Gpu& gpu) { return gpu.pci.bus_id.value.bus; }
long long PCI_DEVICE_ID(const sim::Machine&, const sim::model::Gpu& gpu) { return gpu.pci.bus_id.value.device; }
long long PCI_DOMAIN_ID(const sim::Machine&, const sim::model::Gpu& gpu) { return gpu.pci.bus_id.value.domain; }

// By the order that the process sees the GPUs in.
long long MULTI_GPU_BOARD_GROUP_ID(const sim::Machine&, const sim::model::Gpu& gpu) {
  for (const auto& device : devices())
    if (&device->gpu() == &gpu || (gpu.board_id && device->gpu().board_id == gpu.board_id)) return device->ordinal();
  return 0;
}

long long NUMA_CONFIG(const sim::Machine&, const sim::model::Gpu& gpu) {
  return gpu.numa_node_id ? CU_DEVICE_NUMA_CONFIG_NUMA_NODE : CU_DEVICE_NUMA_CONFIG_NONE;
}

long long NUMA_ID(const sim::Machine&, const sim::model::Gpu& gpu) {
  return gpu.numa_node_id ? static_cast<long long>(*gpu.numa_node_id) : -1;
}

long long HOST_NUMA_ID(const sim::Machine& machine, const sim::model::Gpu& gpu) {
  for (const auto& root : machine.host().pcie_topology.root_complexes)
    for (const auto& device : root.devices)
      if (gpu.pci.bus_id && device == *gpu.pci.bus_id && root.numa_node) return *root.numa_node;
  return -1;
}

long long GPU_PCI_DEVICE_ID(const sim::Machine&, const sim::model::Gpu& gpu) { return number(gpu.pci.device_id); }
long long GPU_PCI_SUBSYSTEM_ID(const sim::Machine&, const sim::model::Gpu& gpu) { return number(gpu.pci.subsystem_id); }

}  // namespace attributes
}  // namespace nvmlkit::cuda
