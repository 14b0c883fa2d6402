#include "root/pci.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "root/config_space.hpp"
#include "root/pci_devices.hpp"
#include "sim/topology/distance.hpp"

namespace nvmlkit::root {
namespace {

using sim::model::PciBusId;

constexpr std::uint32_t kDmaBitsWithoutDriver = 32;
// The kernel reads the width of the link and its present speed from the device, and knows the best speed.
constexpr PciLink kAllOnes{15, 63};

std::string speed(std::uint32_t generation) {
  constexpr std::array<std::string_view, 7> kSpeeds{"Unknown",       "2.5 GT/s PCIe",  "5.0 GT/s PCIe",
                                                    "8.0 GT/s PCIe", "16.0 GT/s PCIe", "32.0 GT/s PCIe",
                                                    "64.0 GT/s PCIe"};
  return std::string(kSpeeds[generation < kSpeeds.size() ? generation : 0]);
}

std::string root_of(const sim::Machine& machine, const PciBusId& id) {
  const auto* complex = sim::topology::root_complex_of(machine, id);
  const auto name = complex && complex->id ? complex->id->view() : std::string_view();
  if (name.size() == 10 && name.starts_with("pci") && name[7] == ':') return std::string(name);
  unsigned int bus = id.bus;
  if (complex)
    for (const auto& other : complex->devices)
      if (other.domain == id.domain) bus = std::min<unsigned int>(bus, other.bus);
  return fmt::format("pci{:04x}:{:02x}", id.domain, bus);
}

std::string modalias(const PciDevice& d) {
  return fmt::format("pci:v{:08X}d{:08X}sv{:08X}sd{:08X}bc{:02X}sc{:02X}i00", d.vendor, d.device, d.subsystem_vendor,
                     d.subsystem, d.base_class, d.sub_class);
}

std::string uevent(const PciDevice& d) {
  return fmt::format(
      "{}PCI_CLASS={:X}{:02X}00\nPCI_ID={:04X}:{:04X}\nPCI_SUBSYS_ID={:04X}:{:04X}\n"
      "PCI_SLOT_NAME={}\nMODALIAS={}",
      d.is_driven ? fmt::format("DRIVER={}\n", d.driver) : "", d.base_class, d.sub_class, d.vendor, d.device,
      d.subsystem_vendor, d.subsystem, kernel_bus_id(d.id), modalias(d));
}

void add_identity(const Place& folder, const PciDevice& d) {
  folder.add("vendor", fmt::format("0x{:04x}", d.vendor));
  folder.add("device", fmt::format("0x{:04x}", d.device));
  folder.add("subsystem_vendor", fmt::format("0x{:04x}", d.subsystem_vendor));
  folder.add("subsystem_device", fmt::format("0x{:04x}", d.subsystem));
  folder.add("revision", fmt::format("0x{:02x}", d.revision));
  folder.add("class", fmt::format("0x{:02x}{:02x}00", d.base_class, d.sub_class));
  folder.add("modalias", modalias(d));
  folder.add("uevent", uevent(d), 0644);
  folder.add_bytes("config", configuration_space(d), 0644);
}

void add_state(const Place& folder, const PciDevice& d) {
  folder.add("irq", d.irq);
  folder.add("enable", d.is_driven ? "1" : "0", 0644);
  folder.add("power_state", "D0");
  folder.add("power/control", "auto", 0644);
  folder.add("power/runtime_status", "active");
  folder.add("driver_override", "(null)", 0644);
  const auto dma_bits = d.is_driven ? d.address_bits : kDmaBitsWithoutDriver;
  folder.add("dma_mask_bits", dma_bits);
  folder.add("consistent_dma_mask_bits", dma_bits);
  folder.add_bytes("resource", resource_file(d.bars));
  const auto add_link = [&](const std::string& which, const std::optional<PciLink>& of) {
    folder.add(which + "_link_speed", speed(of ? of->generation : 0));
    folder.add(which + "_link_width", fmt::format("{}", of ? of->width : 0));
  };
  add_link("current", d.answers ? d.current : std::optional(kAllOnes));
  add_link("max", d.answers || !d.best ? d.best : std::optional(PciLink{d.best->generation, kAllOnes.width}));
}

void add_device(Tree& tree, const sim::Machine& machine, const PciDevice& d, std::size_t iommu_group) {
  const Place folder(tree, pci_folder(machine, d.id));
  const auto bus_id = kernel_bus_id(d.id);
  add_identity(folder, d);
  add_state(folder, d);
  folder.add("numa_node", fmt::format("{}", d.near.node), 0644);
  folder.add("local_cpulist", list_of(d.near.cpus));
  folder.add("local_cpus", mask_of(d.near.cpus));

  const Place group(tree, fmt::format("sys/kernel/iommu_groups/{}", iommu_group));
  folder.link("subsystem", "sys/bus/pci");
  folder.link("iommu_group", group.path());
  group.link("devices/" + bus_id, folder.path());
  group.add("type", "DMA", 0644);
  Place(tree, "sys/bus/pci/devices").link(bus_id, folder.path());
  if (!d.is_driven) return;
  const auto driver = fmt::format("sys/bus/pci/drivers/{}", d.driver);
  folder.link("driver", driver);
  Place(tree, driver).link(bus_id, folder.path());
}

}  // namespace

std::string kernel_bus_id(const PciBusId& id) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", id.domain, id.bus, id.device, id.function);
}

std::string pci_folder(const sim::Machine& machine, const PciBusId& id) {
  return fmt::format("sys/devices/{}/{}", root_of(machine, id), kernel_bus_id(id));
}

// Each device is alone in its IOMMU group, as in servers whose bridges keep devices apart.
void add_pci(Tree& tree, const sim::Machine& machine) {
  const auto devices = pci_devices(machine);
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (devices[i].is_present) add_device(tree, machine, devices[i], i + 1);
}

}  // namespace nvmlkit::root
