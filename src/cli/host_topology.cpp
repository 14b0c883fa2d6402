#include "cli/host_topology.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>
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

// hwloc's XML, object by object.
class TopologyXml {
 public:
  explicit TopologyXml(unsigned int cpus) : cpus_(cpus), all_(first_cpus(cpus)) {
    xml_.PushDeclaration(R"(xml version="1.0" encoding="UTF-8")");
    xml_.PushUnknown(R"(DOCTYPE topology SYSTEM "hwloc2.dtd")");
    xml_.OpenElement("topology");
    xml_.PushAttribute("version", "2.0");
  }

  std::string write(const std::vector<Complex>& complexes) {
    open("Machine");
    xml_.PushAttribute("os_index", "0");
    place(all_);
    xml_.PushAttribute("allowed_cpuset", all_.c_str());
    xml_.PushAttribute("allowed_nodeset", kNode);
    open("NUMANode");
    xml_.PushAttribute("os_index", "0");
    place(all_);
    xml_.CloseElement();
    for (unsigned int cpu = 0; cpu < cpus_; ++cpu) {
      open("PU");
      xml_.PushAttribute("os_index", cpu);
      place(only_cpu(cpu));
      xml_.CloseElement();
    }
    for (const auto& complex : complexes) bridge(complex);
    xml_.CloseElement();
    xml_.CloseElement();
    return xml_.CStr();
  }

 private:
  void open(const char* type) {
    xml_.OpenElement("object");
    xml_.PushAttribute("type", type);
    xml_.PushAttribute("gp_index", ++gp_index_);
  }

  void place(const std::string& cpus) {
    xml_.PushAttribute("cpuset", cpus.c_str());
    xml_.PushAttribute("complete_cpuset", cpus.c_str());
    xml_.PushAttribute("nodeset", kNode);
    xml_.PushAttribute("complete_nodeset", kNode);
  }

  void bridge(const Complex& complex) {
    const auto [low, high] = std::minmax_element(complex.devices.begin(), complex.devices.end(),
                                                 [](const auto& a, const auto& b) { return a.id.bus < b.id.bus; });
    open("Bridge");
    xml_.PushAttribute("bridge_type", "0-1");
    xml_.PushAttribute("depth", "0");
    xml_.PushAttribute(
        "bridge_pci",
        fmt::format("{:04x}:[{:02x}-{:02x}]", complex.devices.front().id.domain, low->id.bus, high->id.bus).c_str());
    for (const auto& device : complex.devices) pci_device(device);
    xml_.CloseElement();
  }

  void pci_device(const Device& device) {
    const auto& id = device.id;
    open("PCIDev");
    xml_.PushAttribute("pci_busid",
                       fmt::format("{:04x}:{:02x}:{:02x}.{:x}", id.domain, id.bus, id.device, id.function).c_str());
    xml_.PushAttribute("pci_type", device.type.c_str());
    xml_.PushAttribute("pci_link_speed", "0.000000");
    if (!device.name.empty()) {
      open("OSDev");
      xml_.PushAttribute("name", device.name.c_str());
      xml_.PushAttribute("osdev_type", "3");
      xml_.CloseElement();
    }
    xml_.CloseElement();
  }

  static constexpr const char* kNode = "0x00000001";

  tinyxml2::XMLPrinter xml_;
  unsigned int cpus_;
  unsigned int gp_index_ = 0;
  std::string all_;
};

}  // namespace

std::string hwloc_topology(const sim::Machine& machine) {
  if (machine.host().pcie_topology.nics.empty()) return {};
  return TopologyXml(std::max(std::thread::hardware_concurrency(), 1U)).write(complexes_of(machine));
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
