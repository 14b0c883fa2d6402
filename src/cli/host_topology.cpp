#include "cli/host_topology.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/selector.hpp"
#include "sim/topology/distance.hpp"

namespace nvmlkit::cli {
namespace {

using sim::model::PciBusId;

struct Device {
  PciBusId id;
  std::string type;  // class, vendor and device, as hwloc writes them
  std::string name;  // of a network adapter
};

// The devices of a root complex, and where the first of its adapters stands among all: nvidia-smi numbers them as they
// come.
struct Complex {
  std::size_t order = ~std::size_t{0};
  std::vector<Device> devices;
};

// hwloc numbers CPUs in words of 32 bits, the highest first.
std::string first_cpus(unsigned int count) {
  std::string out;
  for (unsigned int word = (count + 31) / 32; word-- > 0;) {
    const unsigned int in_word = std::min(count - word * 32, 32U);
    out += fmt::format("{}0x{:08x}", out.empty() ? "" : ",", in_word == 32 ? 0xFFFFFFFFU : (1U << in_word) - 1);
  }
  return out;
}

std::string only_cpu(unsigned int cpu) {
  std::string out = fmt::format("0x{:08x}", 1U << cpu % 32);
  for (unsigned int word = cpu / 32; word-- > 0;) out += ",0x0";
  return out;
}

std::vector<Complex> complexes_of(const sim::Machine& machine) {
  std::map<const void*, Complex> by_root;
  const auto at = [&](const PciBusId& id) -> Complex& { return by_root[sim::topology::root_complex_of(machine, id)]; };
  std::size_t index = 0;
  for (const auto& nic : machine.host().pcie_topology.nics) {
    if (!nic.bus_id) continue;
    auto& complex = at(*nic.bus_id);
    complex.order = std::min(complex.order, index++);
    complex.devices.push_back(
        {*nic.bus_id, "0207 [15b3:1021] [15b3:0023] 00", std::string(nic.name ? nic.name->view() : "")});
  }
  for (const auto& gpu : machine.gpus())
    if (gpu.pci.bus_id)
      at(*gpu.pci.bus_id)
          .devices.push_back({*gpu.pci.bus_id,
                              fmt::format("0302 [10de:{:04x}] [10de:0000] a1", gpu.pci.device_id.value_or(0) >> 16),
                              ""});
  std::vector<Complex> out;
  for (auto& [root, complex] : by_root) out.push_back(std::move(complex));
  std::stable_sort(out.begin(), out.end(), [](const Complex& a, const Complex& b) { return a.order < b.order; });
  return out;
}

}  // namespace

std::string hwloc_topology(const sim::Machine& machine) {
  if (machine.host().pcie_topology.nics.empty()) return {};
  const unsigned int cpus = std::max(std::thread::hardware_concurrency(), 1U);
  const auto all = first_cpus(cpus);
  const std::string node = R"(nodeset="0x00000001" complete_nodeset="0x00000001")";
  unsigned int gp = 0;
  std::string out = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
)";
  out +=
      fmt::format(R"(<object type="Machine" os_index="0" cpuset="{0}" complete_cpuset="{0}" allowed_cpuset="{0}" {1} )"
                  R"(allowed_nodeset="0x00000001" gp_index="{2}">)"
                  "\n",
                  all, node, ++gp);
  out += fmt::format(R"(<object type="NUMANode" os_index="0" cpuset="{0}" complete_cpuset="{0}" {1} gp_index="{2}"/>)"
                     "\n",
                     all, node, ++gp);
  for (unsigned int cpu = 0; cpu < cpus; ++cpu)
    out += fmt::format(R"(<object type="PU" os_index="{0}" cpuset="{1}" complete_cpuset="{1}" {2} gp_index="{3}"/>)"
                       "\n",
                       cpu, only_cpu(cpu), node, ++gp);
  for (const auto& complex : complexes_of(machine)) {
    const auto& first = complex.devices.front().id;
    const auto [low, high] = std::minmax_element(complex.devices.begin(), complex.devices.end(),
                                                 [](const auto& a, const auto& b) { return a.id.bus < b.id.bus; });
    out += fmt::format(
        R"(<object type="Bridge" gp_index="{}" bridge_type="0-1" depth="0" bridge_pci="{:04x}:[{:02x}-{:02x}]">)"
        "\n",
        ++gp, first.domain, low->id.bus, high->id.bus);
    for (const auto& device : complex.devices) {
      const auto& id = device.id;
      out += fmt::format(R"(<object type="PCIDev" gp_index="{}" pci_busid="{:04x}:{:02x}:{:02x}.{:x}" pci_type="{}" )"
                         R"(pci_link_speed="0.000000">)",
                         ++gp, id.domain, id.bus, id.device, id.function, device.type);
      if (!device.name.empty())
        out += fmt::format(R"(<object type="OSDev" gp_index="{}" name="{}" osdev_type="3"/>)", ++gp, device.name);
      out += "</object>\n";
    }
    out += "</object>\n";
  }
  return out + "</object>\n</topology>\n";
}

HostTopology::HostTopology(const std::string& state) {
  if (std::getenv("HWLOC_XMLFILE") != nullptr) return;
  const auto text = hwloc_topology(*attach(state));
  if (text.empty()) return;
  try {
    const auto folder = state_folder();
    const FolderLock lock(folder);
    const auto path = run_path(folder, ".hwloc.xml");
    const bool written = static_cast<bool>(std::ofstream(path) << text);
    file_ = RunFile(path);
    if (written)
      setenv("HWLOC_XMLFILE", path.c_str(), 1);
    else
      file_.remove();
  } catch (const CommandError&) {
    // Without a folder the program runs all the same, and sees the adapters of this host.
  }
}

}  // namespace nvmlkit::cli
