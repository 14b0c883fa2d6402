#include "root/infiniband.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <charconv>
#include <string>
#include <string_view>

#include "root/pci.hpp"

namespace nvmlkit::root {
namespace {

using sim::model::InfiniBand;

// What holds where the machine file says nothing: ConnectX-7 at 400 Gbit/s, with a working link.
constexpr std::string_view kType = "MT4129", kFirmware = "28.39.2048", kRevision = "0x0", kBoard = "MT_0000000838",
                           kLayer = "InfiniBand", kPortState = "ACTIVE", kPhysicalState = "LinkUp",
                           kGuidPrefix = "a088c20300ab", kDescription = "{node_name} mlx5_{idx}";
constexpr std::uint32_t kRate = 400;

// As the kernel names them, in the files of the same name.
constexpr std::string_view kCounters[] = {
    "VL15_dropped",
    "excessive_buffer_overrun_errors",
    "link_downed",
    "link_error_recovery",
    "local_link_integrity_errors",
    "multicast_rcv_packets",
    "multicast_xmit_packets",
    "port_rcv_constraint_errors",
    "port_rcv_data",
    "port_rcv_errors",
    "port_rcv_packets",
    "port_rcv_remote_physical_errors",
    "port_rcv_switch_relay_errors",
    "port_xmit_constraint_errors",
    "port_xmit_data",
    "port_xmit_discards",
    "port_xmit_packets",
    "port_xmit_wait",
    "symbol_error",
    "unicast_rcv_packets",
    "unicast_xmit_packets",
};
constexpr std::string_view kHardwareCounters[] = {
    "duplicate_request",
    "implied_nak_seq_err",
    "local_ack_timeout_err",
    "np_cnp_sent",
    "np_ecn_marked_roce_packets",
    "out_of_buffer",
    "out_of_sequence",
    "packet_seq_err",
    "req_cqe_error",
    "req_cqe_flush_error",
    "req_remote_access_errors",
    "req_remote_invalid_request",
    "resp_cqe_error",
    "resp_cqe_flush_error",
    "resp_local_length_error",
    "resp_remote_access_errors",
    "rnr_nak_retry_err",
    "roce_adp_retrans",
    "roce_adp_retrans_to",
    "roce_slow_restart",
    "roce_slow_restart_cnps",
    "roce_slow_restart_trans",
    "rp_cnp_handled",
    "rp_cnp_ignored",
    "rx_atomic_requests",
    "rx_dct_connect",
    "rx_icrc_encapsulated",
    "rx_read_requests",
    "rx_write_requests",
};

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

void add_port(const Place& port, const InfiniBand& of, std::size_t index, const std::string& guid) {
  port.add("state", numbered(told(of.port_state, kPortState), kPortStates));
  port.add("phys_state", numbered(told(of.phys_state, kPhysicalState), kPhysicalStates));
  port.add("rate", rate_of(of.rate_gbps.value_or(kRate)));
  port.add("link_layer", told(of.link_layer, kLayer));
  port.add("lid", fmt::format("0x{:x}", index + 1));
  port.add("lid_mask_count", 0);
  port.add("sm_lid", "0x1");
  port.add("sm_sl", 0);
  port.add("cap_mask", "0xa751e848");
  port.add("gids/0", "fe80:0000:0000:0000:" + guid);
  port.add("pkeys/0", "0xffff");
  for (const auto name : kCounters) port.below("counters").add(name, 0);
  for (const auto name : kHardwareCounters) port.below("hw_counters").add(name, 0);
  port.below("hw_counters").add("lifespan", "12", 0644);
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
    add_port(own.below("ports/1"), of, index, guid);
    ++index;
  }
}

}  // namespace nvmlkit::root
