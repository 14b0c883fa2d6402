#include "smi_log/topology.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "sim/generated/model_descriptors.hpp"
#include "sim/model/pci_bus_id.hpp"
#include "sim/text/flow.hpp"
#include "smi_log/units.hpp"

namespace nvmlkit::smi_log {
namespace {

using sim::text::FlowList;
using sim::text::FlowMap;

constexpr std::array<std::string_view, 3> kNear = {"PIX", "PXB", "PHB"};  // below one root complex
constexpr std::array<std::string_view, 3> kLevels = {"single", "multiple", "hostbridge"};

std::size_t most_items(std::string_view list) {
  return sim::model::descriptor<sim::model::PcieTopology>().find(list)->max_items;
}

// What has a path to each other below a root complex.
struct Complex {
  std::vector<std::size_t> members;
  std::array<std::size_t, kNear.size()> pairs{};  // how many are at each distance
  std::string numa, cpus;
};

class Tree {
 public:
  Tree(const Topology& topology, MachineValues& machine) : topology_(topology), machine_(machine) {}

  void place_devices() {
    place_ = topology_.devices.front().place;
    gather();
    place_nodes();
    if (complexes_.empty() || complexes_.size() > most_items("root_complexes")) return;
    give_addresses();
    say();
  }

 private:
  const TopologyDevice& device(std::size_t i) const { return topology_.devices[i]; }

  GpuValues* gpu_of(std::size_t i) const {
    const auto index = device(i).gpu;
    return index && *index < machine_.gpus.size() ? &machine_.gpus[*index] : nullptr;
  }

  bool takes_part(std::size_t i) const { return !device(i).gpu || gpu_of(i) != nullptr; }

  std::string_view distance(std::size_t a, std::size_t b) const {
    auto at = topology_.distances.find({a, b});
    if (at == topology_.distances.end()) at = topology_.distances.find({b, a});  // a row that was left out
    return at == topology_.distances.end() ? std::string_view() : std::string_view(at->second);
  }

  void gather() {
    std::vector<std::size_t> complex_of(topology_.devices.size());
    std::iota(complex_of.begin(), complex_of.end(), std::size_t{0});
    const auto near = [&](std::size_t a, std::size_t b) {
      return std::find(kNear.begin(), kNear.end(), distance(a, b)) != kNear.end();
    };
    for (std::size_t a = 0; a < complex_of.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const auto from = complex_of[a], to = complex_of[b];
        if (takes_part(a) && takes_part(b) && from != to && near(a, b))
          std::replace(complex_of.begin(), complex_of.end(), from, to);
      }
    for (std::size_t i = 0; i < complex_of.size(); ++i) {
      if (!takes_part(i)) continue;
      const auto known = std::find_if(complexes_.begin(), complexes_.end(),
                                      [&](const Complex& c) { return complex_of[c.members.front()] == complex_of[i]; });
      auto& complex = known != complexes_.end() ? *known : complexes_.emplace_back();
      for (const auto other : complex.members)
        for (std::size_t level = 0; level < kNear.size(); ++level)
          complex.pairs[level] += distance(i, other) == kNear[level];
      complex.members.push_back(i);
      if (!device(i).gpu) continue;
      if (complex.cpus.empty() && device(i).cpu_affinity != "N/A") complex.cpus = device(i).cpu_affinity;
      if (complex.numa.empty() && whole_number(device(i).numa_affinity)) complex.numa = device(i).numa_affinity;
      if (whole_number(device(i).gpu_numa_id))
        gpu_of(i)->values.try_emplace("numa_node_id", Value{device(i).gpu_numa_id, device(i).place});
    }
  }

  bool any_pair(const Complex& a, const Complex& b, std::string_view wanted) const {
    for (const auto x : a.members)
      for (const auto y : b.members)
        if (distance(x, y) == wanted) return true;
    return false;
  }

  // Adapters tell no NUMA node: theirs is that of the GPUs to which they are NODE, else one without such GPUs.
  void place_nodes() {
    std::set<std::string> nodes;
    for (const auto& complex : complexes_) nodes.insert(complex.numa);
    for (auto& complex : complexes_) {
      if (!complex.numa.empty()) continue;
      for (const auto& other : complexes_)
        if (!other.numa.empty() && any_pair(complex, other, "NODE"))
          complex.numa = other.numa, complex.cpus = other.cpus;
      for (std::uint32_t node = 0; complex.numa.empty(); ++node)
        if (!nodes.contains(std::to_string(node))) complex.numa = std::to_string(node);
    }
    for (std::size_t a = 0; a < complexes_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        if (complexes_[a].numa != complexes_[b].numa) continue;
        near_ |= any_pair(complexes_[a], complexes_[b], "NODE");
        far_ |= any_pair(complexes_[a], complexes_[b], "SYS");
      }
  }

  // The matrix names adapters and shows no address.
  void give_addresses() {
    std::set<std::string> taken;
    for (const auto& gpu : machine_.gpus) taken.insert(gpu.bus_id);
    std::uint32_t bus = 1;
    for (std::size_t i = 0; i < topology_.devices.size(); ++i) {
      if (const auto* gpu = gpu_of(i)) addresses_[i] = gpu->bus_id;
      if (device(i).gpu) continue;
      do {
        char text[24];
        std::snprintf(text, sizeof text, "%08X:%02X:00.0", bus >> 8, bus & 0xFF);
        addresses_[i] = text;
        ++bus;
      } while (taken.contains(addresses_[i]));
    }
  }

  void say() {
    FlowList list, nics;
    for (std::size_t i = 0; i < complexes_.size(); ++i) {
      const auto& c = complexes_[i];
      FlowMap entry;
      entry.add("id", quoted("pci" + std::to_string(i)));
      entry.add("numa_node", c.numa);
      const auto most = std::max_element(c.pairs.begin(), c.pairs.end());
      if (*most > 0) entry.add("level", kLevels[static_cast<std::size_t>(most - c.pairs.begin())]);
      if (!c.cpus.empty()) entry.add("cpu_affinity", quoted(c.cpus));
      FlowList devices;
      for (const auto member : c.members) devices.add(quoted(addresses_[member]));
      entry.add("devices", devices.yaml());
      list.add(entry.yaml());
    }
    for (std::size_t i = 0; i < topology_.devices.size() && nics.size() < most_items("nics"); ++i) {
      if (device(i).gpu) continue;
      FlowMap nic;
      nic.add("name", quoted(device(i).name));
      nic.add("bus_id", quoted(addresses_[i]));
      nics.add(nic.yaml());
    }
    machine_.host.try_emplace("pcie_topology.root_complexes", Value{list.yaml(), place_});
    machine_.host.try_emplace("pcie_topology.nics", Value{nics.yaml(), place_});
    machine_.host.try_emplace("pcie_topology.node_level", Value{far_ && !near_ ? "system" : "node", place_});
  }

  const Topology& topology_;
  MachineValues& machine_;
  Place place_;
  std::vector<Complex> complexes_;
  std::map<std::size_t, std::string> addresses_;
  bool near_ = false, far_ = false;  // root complexes of one NUMA node
};

// Number and ends of the NVLinks, from words like NV12.
void add_links(const Topology& topology, MachineValues& machine) {
  std::map<std::uint32_t, std::uint32_t> links;  // of each GPU
  std::set<std::uint32_t> counts;
  FlowList connections;
  std::size_t gpus = 0, pairs = 0;
  for (const auto& device : topology.devices) gpus += device.gpu && *device.gpu < machine.gpus.size();
  for (const auto& [pair, distance] : topology.distances) {
    const auto from = topology.devices[pair.first].gpu, to = topology.devices[pair.second].gpu;
    const auto count = number_behind(distance, "NV");
    if (pair.first > pair.second || !from || !to || *from >= machine.gpus.size() || *to >= machine.gpus.size())
      continue;
    if (!count || *count == 0) continue;
    ++pairs;
    counts.insert(*count);
    links[*from] += *count, links[*to] += *count;
    FlowMap connection;
    connection.add("from", *from);
    connection.add("to", *to);
    connection.add("links", *count);
    connections.add(connection.yaml());
  }
  if (gpus < 2) return;
  const Place place = topology.devices.front().place;
  const auto say = [&](const char* field, const std::string& yaml) {
    machine.host.try_emplace(std::string("nvlink.") + field, Value{yaml, place});
  };
  // All GPUs are equally near through NVSwitches.
  const bool switches = gpus > 2 && counts.size() == 1 && pairs == gpus * (gpus - 1) / 2;
  const auto most = sim::model::descriptor<sim::model::NvLink>().find("connections")->max_items;
  if (!switches && pairs > most) return;
  std::uint32_t per_gpu = switches ? *counts.begin() : 0;
  if (!switches)
    for (const auto& [gpu, count] : links) per_gpu = std::max(per_gpu, count);
  say("links_per_gpu", std::to_string(per_gpu));
  say("connections", switches ? "[]" : connections.yaml());
  if (per_gpu == 0) return;
  const auto architecture = yaml_at(machine.gpus.front().values, "architecture");
  if (architecture == "volta") say("version", "2"), say("bandwidth_per_link_mbps", "25781");
  if (architecture == "ampere") say("version", "3"), say("bandwidth_per_link_mbps", "25000");
  if (architecture == "hopper") say("version", "4"), say("bandwidth_per_link_mbps", "26562");
  if (architecture == "blackwell") say("version", "5"), say("bandwidth_per_link_mbps", "53125");
}

}  // namespace

void add_topology(const Topology& topology, MachineValues& machine) {
  if (topology.devices.empty()) return;
  Tree(topology, machine).place_devices();
  add_links(topology, machine);
}

}  // namespace nvmlkit::smi_log
