#include "root/infiniband.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <charconv>
#include <string>
#include <string_view>

#include "root/pci.hpp"
#include "sim/traits/port_counters.hpp"

namespace nvmlkit::root {
namespace {

using sim::model::InfiniBand, sim::model::Nic;

// What holds where the machine file says nothing: ConnectX-7 at 400 Gbit/s, with a working link.
constexpr std::string_view kType = "MT4129", kFirmware = "28.39.2048", kRevision = "0x0", kBoard = "MT_0000000838",
                           kLayer = "InfiniBand", kPortState = "ACTIVE", kPhysicalState = "LinkUp",
                           kGuidPrefix = "a088c20300ab", kDescription = "{node_name} mlx5_{idx}";
constexpr std::uint32_t kRate = 400;

struct Numbered {
  unsigned int number;
  std::string_view word;
};
constexpr Numbered kPortStates[] = {{1, "DOWN"}, {2, "INIT"}, {3, "ARMED"}, {4, "ACTIVE"}, {5, "ACTIVE_DEFER"}};
constexpr Numbered kPhysicalStates[] = {{1, "Sleep"},    {2, "Polling"},
                                        {3, "Disabled"}, {4, "PortConfigurationTraining"},
                                        {5, "LinkUp"},   {6, "LinkErrorRecovery"}};

template <class Field>
std::string_view told(const Field& field, std::string_view otherwise) {
  return field ? field->view() : otherwise;
}

// "4: ACTIVE". A text that has its number, or that no kernel knows, stays as it is.
template <std::size_t N>
std::string numbered(std::string_view word, const Numbered (&known)[N]) {
  for (const auto& each : known)
    if (each.word == word) return fmt::format("{}: {}", each.number, word);
  return std::string(word);
}

// Of four lanes, as ports of servers have them.
std::string rate_of(std::uint32_t gbps) {
  const std::string_view speed = gbps >= 800   ? "XDR"
                                 : gbps >= 400 ? "NDR"
                                 : gbps >= 200 ? "HDR"
                                 : gbps >= 100 ? "EDR"
                                 : gbps >= 56  ? "FDR"
                                 : gbps >= 40  ? "QDR"
                                               : "SDR";
  return fmt::format("{} Gb/sec (4X {})", gbps, speed);
}

// Sixteen digits in groups of four: the prefix, and the number of the adapter.
std::string guid_of(std::string_view prefix, std::size_t index) {
  std::string digits;
  for (const char c : prefix)
    if (c != ':' && c != '-') digits += c;
  const auto room = digits.size() < 16 ? 16 - digits.size() : 0;
  digits = digits.substr(0, 16) + (room == 0 ? "" : fmt::format("{:0{}x}", index + 1, room));
  digits = digits.substr(digits.size() - 16);
  return fmt::format("{}:{}:{}:{}", digits.substr(0, 4), digits.substr(4, 4), digits.substr(8, 4), digits.substr(12));
}

std::string description_of(std::string_view pattern, std::size_t index) {
  utsname host{};
  uname(&host);
  std::string out(pattern);
  const auto replace = [&](std::string_view place, const std::string& by) {
    for (auto at = out.find(place); at != out.npos; at = out.find(place, at + by.size()))
      out.replace(at, place.size(), by);
  };
  replace("{node_name}", host.nodename);
  replace("{idx}", std::to_string(index));
  return out;
}

struct PortLink {
  std::string_view state, physical_state;
  std::string rate;
};

// Without a link, mlx5 reports the lowest rate of its layer.
PortLink link_of(const InfiniBand& of, const Nic& nic) {
  if (nic.state.down == 0)
    return {told(of.port_state, kPortState), told(of.phys_state, kPhysicalState),
            rate_of(of.rate_gbps.value_or(kRate))};
  if (told(of.link_layer, kLayer) == kLayer) return {"DOWN", "Polling", rate_of(10)};
  return {"DOWN", "Disabled", rate_of(40)};
}

void add_counters(const Place& port, const Nic& nic) {
  for (const auto& counter : sim::kErrorCounters)
    port.below(std::string(counter.folder))
        .add(std::string(counter.name), nic.state.counts[&counter - sim::kErrorCounters]);
  for (const auto& counter : sim::kTrafficCounters)
    port.below(std::string(counter.folder)).add(std::string(counter.name), 0);
  port.below("hw_counters").add("lifespan", "12", 0644);
}

void add_port(const Place& port, const InfiniBand& of, const Nic& nic, std::size_t index, const std::string& guid) {
  const auto link = link_of(of, nic);
  port.add("state", numbered(link.state, kPortStates));
  port.add("phys_state", numbered(link.physical_state, kPhysicalStates));
  port.add("rate", link.rate);
  port.add("link_layer", told(of.link_layer, kLayer));
  port.add("lid", fmt::format("0x{:x}", index + 1));
  port.add("lid_mask_count", 0);
  port.add("sm_lid", "0x1");
  port.add("sm_sl", 0);
  port.add("cap_mask", "0xa751e848");
  port.add("gids/0", "fe80:0000:0000:0000:" + guid);
  port.add("pkeys/0", "0xffff");
  add_counters(port, nic);
}

}  // namespace

std::uint32_t adapter_model(const sim::Machine& machine) {
  const auto type = told(machine.host().infiniband.hca_type, kType);
  const auto digits = type.find_first_of("0123456789");
  std::uint32_t number = 0;
  if (digits != type.npos) std::from_chars(type.data() + digits, type.data() + type.size(), number);
  return number & 0xFFFF;
}

void add_infiniband(Tree& tree, const sim::Machine& machine) {
  const auto& of = machine.host().infiniband;
  std::size_t index = 0;
  for (const auto& nic : machine.host().pcie_topology.nics) {
    if (!nic.bus_id || !nic.name) continue;
    const std::string name(nic.name->view());
    const auto device = pci_folder(machine, *nic.bus_id);
    const Place own(tree, device + "/infiniband/" + name);
    const auto guid = guid_of(told(of.guid_prefix, kGuidPrefix), index);
    own.link("device", device);
    Place(tree, "sys/class/infiniband").link(name, own.path());
    own.add("node_type", "1: CA");
    own.add("node_guid", guid);
    own.add("sys_image_guid", guid);
    own.add("node_desc", description_of(told(of.node_desc_template, kDescription), index), 0644);
    own.add("fw_ver", told(of.fw_version, kFirmware));
    own.add("hw_rev", told(of.hw_rev, kRevision));
    own.add("board_id", told(of.board_id, kBoard));
    own.add("hca_type", told(of.hca_type, kType));
    add_port(own.below("ports/1"), of, nic, index, guid);
    ++index;
  }
}

}  // namespace nvmlkit::root
