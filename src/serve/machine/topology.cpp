#include <map>
#include <string>
#include <utility>

#include "serve/machine/facts.hpp"
#include "sim/generated/model.hpp"
#include "sim/links/links.hpp"
#include "sim/model/pci_bus_id.hpp"
#include "sim/state/follow.hpp"
#include "sim/topology/distance.hpp"

namespace nvmlkit::serve {
namespace {

using Json = nlohmann::ordered_json;
using sim::links::Remote;
using sim::model::PciBusId;

std::string printed(const PciBusId& id) {
  char buffer[24];
  return std::string(sim::model::format_pci_bus_id(id, 8, buffer));
}

// The place of a root complex in the machine's list; null: under none of them.
Json root_index(const sim::Machine& machine, const sim::model::Field<PciBusId>& device) {
  if (!device) return {};
  const auto* const complex = sim::topology::root_complex_of(machine, *device);
  if (complex == nullptr) return {};
  return complex - machine.host().pcie_topology.root_complexes.begin();
}

Json roots_of(const sim::Machine& machine) {
  auto out = Json::array();
  for (const auto& complex : machine.host().pcie_topology.root_complexes)
    out.push_back({{"id", complex.id ? std::string(complex.id->view()) : ""},
                   {"numa_node", complex.numa_node ? Json(*complex.numa_node) : Json()}});
  return out;
}

Json nics_of(const sim::Machine& machine) {
  auto out = Json::array();
  for (const auto& nic : machine.host().pcie_topology.nics)
    out.push_back({{"name", nic.name ? std::string(nic.name->view()) : ""},
                   {"bus_id", nic.bus_id ? printed(*nic.bus_id) : ""},
                   {"root", root_index(machine, nic.bus_id)}});
  return out;
}

const char* kind_of(Remote remote) {
  switch (remote) {
    case Remote::gpu:
      return "gpu";
    case Remote::npu:
      return "cpu";
    case Remote::nvswitch:
      return "switch";
    case Remote::unknown:
      return "unknown";
    default:
      return "nothing";
  }
}

// Which switch of the machine has the address; null: the host does not see it.
Json switch_index(const sim::Machine& machine, const sim::links::Link& link) {
  if (link.has_bus_id == 0) return {};
  std::size_t index = 0;
  for (const auto& each : machine.host().nvlink.switches) {
    if (each.bdf && *each.bdf == link.remote_bus_id) return index;
    ++index;
  }
  return {};
}

// Links with one other end are one entry.
Json links_of(const sim::Machine& machine, const sim::model::Gpu& gpu) {
  std::map<std::pair<std::string, std::string>, Json> ends;
  for (std::uint32_t i = 0; i < sim::links::count(gpu); ++i) {
    const auto& link = gpu.links.links[i];
    if (link.remote == Remote::nothing) continue;
    Json index;
    if (link.remote == Remote::gpu) index = link.remote_gpu;
    if (link.remote == Remote::nvswitch) index = switch_index(machine, link);
    auto& end = ends[{kind_of(link.remote), index.dump()}];
    if (end.is_null()) end = {{"to", kind_of(link.remote)}, {"index", index}, {"links", Json::array()}};
    end["links"].push_back(i);
  }
  auto out = Json::array();
  for (auto& [key, end] : ends) out.push_back(std::move(end));
  return out;
}

}  // namespace

nlohmann::ordered_json topology_of(const sim::Machine& machine) {
  const auto copy = sim::Machine::create(machine.gpus().size());
  if (!copy || !sim::state::copy_now(machine, *copy)) return {};
  auto gpus = Json::array();
  std::uint32_t mbps = 0, version = 0;
  for (const auto& gpu : copy->gpus()) {
    mbps = std::max(mbps, gpu.links.mbps);
    version = std::max(version, gpu.links.version);
    gpus.push_back({{"root", root_index(*copy, gpu.pci.bus_id)}, {"nvlink", links_of(*copy, gpu)}});
  }
  auto switches = Json::array();
  for (const auto& each : copy->host().nvlink.switches)
    switches.push_back({{"bus_id", each.bdf ? printed(*each.bdf) : ""}});
  return {{"roots", roots_of(*copy)},  {"nics", nics_of(*copy)}, {"switches", switches}, {"gpus", gpus},
          {"nvlink_version", version}, {"link_mbps", mbps}};
}

}  // namespace nvmlkit::serve
