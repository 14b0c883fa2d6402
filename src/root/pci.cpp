#include "root/pci.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "root/proc.hpp"
#include "sim/state/attention.hpp"
#include "sim/telemetry/reading.hpp"
#include "sim/topology/affinity.hpp"
#include "sim/topology/distance.hpp"

namespace nvmlkit::root {
namespace {

using sim::model::PciBusId;
using sim::topology::CpuSet;

struct PciLink {
  std::uint32_t generation = 0, width = 0;
};

struct Device {
  PciBusId id;
  std::uint32_t vendor, device, subsystem_vendor, subsystem, revision, base_class, sub_class, irq;
  std::string_view driver;
  std::optional<PciLink> current, best;
  CpuSet cpus;
};

constexpr std::uint32_t kNvidia = 0x10de;
// ConnectX-7, as other parts of the simulation have them.
constexpr std::uint32_t kMellanox = 0x15b3, kConnectX7 = 0x1021, kBoard = 0x0023;

std::string speed(std::uint32_t generation) {
  constexpr std::array<std::string_view, 7> kSpeeds{"Unknown",       "2.5 GT/s PCIe",  "5.0 GT/s PCIe",
                                                    "8.0 GT/s PCIe", "16.0 GT/s PCIe", "32.0 GT/s PCIe",
                                                    "64.0 GT/s PCIe"};
  return std::string(kSpeeds[generation < kSpeeds.size() ? generation : 0]);
}

// "0-3,8"
std::string list_of(const CpuSet& cpus) {
  std::string out;
  for (std::size_t first = 0; first < cpus.size(); ++first) {
    if (!cpus[first]) continue;
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1]) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ",", first);
    if (last != first) out += fmt::format("-{}", last);
    first = last;
  }
  return out;
}

// Words of 32 bits, the highest first, as many as the highest CPU needs.
std::string mask_of(const CpuSet& cpus) {
  std::string out;
  for (std::size_t word = cpus.size() / 32; word-- > 0;) {
    std::uint32_t bits = 0;
    for (std::size_t bit = 0; bit < 32; ++bit) bits |= std::uint32_t{cpus[word * 32 + bit]} << bit;
    if (!out.empty())
      out += fmt::format(",{:08x}", bits);
    else if (bits != 0 || word == 0)
      out = fmt::format("{:08x}", bits);
  }
  return out;
}

// The standard header of PCI's configuration space.
std::string configuration_space(const Device& device) {
  std::string space(256, '\0');
  const auto put = [&](std::size_t at, std::uint32_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) space[at + i] = static_cast<char>(value >> (8 * i) & 0xFF);
  };
  put(0x00, device.vendor, 2);
  put(0x02, device.device, 2);
  put(0x04, 0x0406, 2);  // answers to memory accesses, may be bus master, no legacy interrupt
  put(0x08, device.revision, 1);
  put(0x0A, device.sub_class, 1);
  put(0x0B, device.base_class, 1);
  put(0x2C, device.subsystem_vendor, 2);
  put(0x2E, device.subsystem, 2);
  return space;
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

// Below /sys.
std::string folder_of(const sim::Machine& machine, const PciBusId& id) {
  return fmt::format("sys/devices/{}/{}", root_of(machine, id), kernel_bus_id(id));
}

std::string modalias(const Device& d) {
  return fmt::format("pci:v{:08X}d{:08X}sv{:08X}sd{:08X}bc{:02X}sc{:02X}i00", d.vendor, d.device, d.subsystem_vendor,
                     d.subsystem, d.base_class, d.sub_class);
}

void add_device(Tree& tree, const sim::Machine& machine, const Device& d) {
  const auto folder = folder_of(machine, d.id);
  const auto bus_id = kernel_bus_id(d.id);
  const auto add = [&](const char* name, const std::string& text) { tree[folder + "/" + name] = Text{text + "\n"}; };
  const auto link = [&](const std::string& from, const std::string& to) { tree[from] = link_between(from, to); };
  add("vendor", fmt::format("0x{:04x}", d.vendor));
  add("device", fmt::format("0x{:04x}", d.device));
  add("subsystem_vendor", fmt::format("0x{:04x}", d.subsystem_vendor));
  add("subsystem_device", fmt::format("0x{:04x}", d.subsystem));
  add("revision", fmt::format("0x{:02x}", d.revision));
  add("class", fmt::format("0x{:02x}{:02x}00", d.base_class, d.sub_class));
  add("irq", fmt::format("{}", d.irq));
  add("enable", "1");
  const auto* complex = sim::topology::root_complex_of(machine, d.id);
  add("numa_node", complex && complex->numa_node ? fmt::format("{}", *complex->numa_node) : "-1");
  add("local_cpulist", list_of(d.cpus));
  add("local_cpus", mask_of(d.cpus));
  const auto add_link = [&](const std::string& which, const std::optional<PciLink>& of) {
    add((which + "_link_speed").c_str(), speed(of ? of->generation : 0));
    add((which + "_link_width").c_str(), fmt::format("{}", of ? of->width : 0));
  };
  add_link("current", d.current);
  add_link("max", d.best);
  add("modalias", modalias(d));
  add("uevent", fmt::format("DRIVER={}\nPCI_CLASS={:X}{:02X}00\nPCI_ID={:04X}:{:04X}\nPCI_SUBSYS_ID={:04X}:{:04X}\n"
                            "PCI_SLOT_NAME={}\nMODALIAS={}",
                            d.driver, d.base_class, d.sub_class, d.vendor, d.device, d.subsystem_vendor, d.subsystem,
                            bus_id, modalias(d)));
  tree[folder + "/config"] = Text{configuration_space(d), 0644};
  link(folder + "/subsystem", "sys/bus/pci");
  link(folder + "/driver", fmt::format("sys/bus/pci/drivers/{}", d.driver));
  link("sys/bus/pci/devices/" + bus_id, folder);
  link(fmt::format("sys/bus/pci/drivers/{}/{}", d.driver, bus_id), folder);
}

void add_gpu(Tree& tree, const sim::Machine& machine, const sim::model::Gpu& gpu) {
  if (!gpu.pci.bus_id) return;
  const sim::telemetry::Reading reading(machine, gpu);
  const auto& pcie = gpu.pcie;
  const auto generation = reading(pcie.current_link_gen);
  const auto ids = gpu.pci.device_id.value_or(kNvidia), subsystem = gpu.pci.subsystem_id.value_or(0);
  Device device{.id = *gpu.pci.bus_id,
                .vendor = ids & 0xFFFF,
                .device = ids >> 16,
                .subsystem_vendor = subsystem & 0xFFFF,
                .subsystem = subsystem >> 16,
                .revision = 0xa1,
                .base_class = gpu.pci.base_class.value_or(3),
                .sub_class = gpu.pci.sub_class.value_or(2),
                .irq = gpu.irq_num.value_or(0),
                .driver = "nvidia",
                .current = {},
                .best = {},
                .cpus = sim::topology::cpus_near(machine, gpu, sim::topology::Scope::node)};
  if (generation && pcie.current_link_width) device.current = PciLink{*generation, *pcie.current_link_width};
  if (pcie.max_link_gen && pcie.max_link_width)
    device.best = PciLink{pcie.device_max_link_gen.value_or(*pcie.max_link_gen), *pcie.max_link_width};
  add_device(tree, machine, device);
}

void add_adapter(Tree& tree, const sim::Machine& machine, const sim::model::Nic& nic) {
  if (!nic.bus_id) return;
  CpuSet cpus;
  const auto* complex = sim::topology::root_complex_of(machine, *nic.bus_id);
  if (complex && complex->cpu_affinity) cpus = sim::topology::parse_list(complex->cpu_affinity->view());
  add_device(tree, machine,
             {.id = *nic.bus_id,
              .vendor = kMellanox,
              .device = kConnectX7,
              .subsystem_vendor = kMellanox,
              .subsystem = kBoard,
              .revision = 0,
              .base_class = 2,
              .sub_class = 7,
              .irq = 0,
              .driver = "mlx5_core",
              .current = {},
              .best = {},
              .cpus = cpus});
  if (!nic.name) return;
  const std::string name(nic.name->view()), folder = folder_of(machine, *nic.bus_id),
                                            own = folder + "/infiniband/" + name;
  tree[own + "/node_type"] = Text{"1: CA\n"};
  tree[own + "/device"] = link_between(own + "/device", folder);
  tree["sys/class/infiniband/" + name] = link_between("sys/class/infiniband/" + name, own);
  const auto& told = machine.host().infiniband;
  if (told.fw_version) tree[own + "/fw_ver"] = Text{fmt::format("{}\n", told.fw_version->view())};
  if (told.hca_type) tree[own + "/hca_type"] = Text{fmt::format("{}\n", told.hca_type->view())};
  if (told.link_layer) tree[own + "/ports/1/link_layer"] = Text{fmt::format("{}\n", told.link_layer->view())};
}

// The NVSwitches that the host sees; those of later baseboards it does not.
void add_switches(Tree& tree, const sim::Machine& machine) {
  using sim::model::Architecture;
  const auto& gpus = machine.gpus();
  const std::uint32_t architecture = gpus.empty() ? 0 : gpus[0].architecture.value_or(0);
  const std::uint32_t device = architecture == Architecture::ampere   ? 0x1af1
                               : architecture == Architecture::hopper ? 0x22a3
                                                                      : 0;
  for (const auto& nvswitch : machine.host().nvlink.switches)
    if (nvswitch.bdf && device != 0)
      add_device(tree, machine,
                 {.id = *nvswitch.bdf,
                  .vendor = kNvidia,
                  .device = device,
                  .subsystem_vendor = kNvidia,
                  .subsystem = 0,
                  .revision = 0xa1,
                  .base_class = 6,
                  .sub_class = 0x80,
                  .irq = 0,
                  .driver = "nvidia-nvswitch",
                  .current = {},
                  .best = {},
                  .cpus = {}});
}

}  // namespace

void add_sys(Tree& tree, const sim::Machine& machine) {
  for (const auto& gpu : machine.gpus())
    if (sim::state::is_visible(machine, machine.index_of(gpu))) add_gpu(tree, machine, gpu);
  for (const auto& nic : machine.host().pcie_topology.nics) add_adapter(tree, machine, nic);
  add_switches(tree, machine);
  if (const auto& version = machine.system().driver_version)
    tree["sys/module/nvidia/version"] = Text{fmt::format("{}\n", version->view())};
  tree["sys/module/nvidia/initstate"] = Text{"live\n"};
}

}  // namespace nvmlkit::root
