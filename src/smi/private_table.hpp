// The table of private functions from which nvidia-smi reads what NVML has no public function for.
#pragma once

#include <nvmlkit/nvml.hpp>
#include <string>

namespace nvmlkit::smi {

// The PCIe atomic operations that a GPU may request and that it serves, a bit each.
struct AtomicCapabilities {
  unsigned int outbound;
  unsigned int inbound;
};

// Used only if the table has the size of one that was looked at (535, 550, 555): what a slot of another table means is
// not known, so all of its functions are Not Supported.
class PrivateTable {
 public:
  explicit PrivateTable(const nvml::Library& library);

  nvml::Result<std::string> gpu_part_number(const nvml::Device& device) const;
  nvml::Result<std::string> fru_part_number(const nvml::Device& device) const;
  nvml::Result<AtomicCapabilities> pcie_atomics(const nvml::Device& device) const;
  nvml::Result<unsigned int> host_max_link_generation(const nvml::Device& device) const;
  nvml::Result<unsigned int> graphics_microvolts(const nvml::Device& device) const;
  nvml::Result<nvml::Celsius> temperature_margin(const nvml::Device& device) const;
  nvml::Result<unsigned int> sparse_operation_mode(const nvml::Device& device) const;
  nvml::Result<unsigned int> addressing_mode(const nvml::Device& device) const;
  nvml::Result<unsigned int> numa_node(const nvml::Device& device) const;
  nvml::Result<unsigned int> deferred_memory_khz(const nvml::Device& device) const;
  // 0 PIX, 1 PXB, 2 PHB, 3 NODE, 4 SYS.
  nvml::Result<unsigned int> pcie_path(const std::string& bus_id_a, const std::string& bus_id_b) const;
  // Of the private field ids: 1 relaxed ordering, 4 reset required, 5 drain and reset recommended.
  nvml::Result<unsigned int> private_field(const nvml::Device& device, unsigned int id) const;
  // Whether the product may be monitored by dmon and pmon.
  nvml::Result<unsigned int> is_monitored(const nvml::Device& device) const;
  // The PCI address of a GPU, also of one that does not answer.
  nvml::Result<std::string> bus_id(unsigned int index) const;

 private:
  // Null where the table lacks the slot.
  template <class Function>
  Function slot(std::size_t number) const;
  nvml::Result<unsigned int> number(const nvml::Device& device, std::size_t slot_number) const;
  nvml::Result<std::string> text(const nvml::Device& device, std::size_t slot_number, unsigned int length) const;

  const void* const* table_ = nullptr;
  std::size_t words_ = 0;
};

}  // namespace nvmlkit::smi
