// The counters of an InfiniBand port by the kernel's names: drivers/infiniband/core/sysfs.c for `counters`,
// drivers/infiniband/hw/mlx5/counters.c for `hw_counters`.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

#include "sim/generated/model.hpp"

namespace nvmlkit::sim {

struct PortCounter {
  std::string_view folder, name;
  std::uint32_t bits;  // of a counter of errors: it stops at its largest value
};

inline constexpr PortCounter kErrorCounters[] = {
    {"counters", "VL15_dropped", 16},
    {"counters", "excessive_buffer_overrun_errors", 4},
    {"counters", "link_downed", 8},
    {"counters", "link_error_recovery", 8},
    {"counters", "local_link_integrity_errors", 4},
    {"counters", "port_rcv_constraint_errors", 8},
    {"counters", "port_rcv_errors", 16},
    {"counters", "port_rcv_remote_physical_errors", 16},
    {"counters", "port_rcv_switch_relay_errors", 16},
    {"counters", "port_xmit_constraint_errors", 8},
    {"counters", "port_xmit_discards", 16},
    {"counters", "symbol_error", 16},
    {"hw_counters", "duplicate_request", 32},
    {"hw_counters", "implied_nak_seq_err", 32},
    {"hw_counters", "local_ack_timeout_err", 32},
    {"hw_counters", "out_of_buffer", 32},
    {"hw_counters", "out_of_sequence", 32},
    {"hw_counters", "packet_seq_err", 32},
    {"hw_counters", "req_cqe_error", 32},
    {"hw_counters", "req_cqe_flush_error", 32},
    {"hw_counters", "req_remote_access_errors", 32},
    {"hw_counters", "req_remote_invalid_request", 32},
    {"hw_counters", "req_rnr_retries_exceeded", 32},
    {"hw_counters", "req_transport_retries_exceeded", 32},
    {"hw_counters", "resp_cqe_error", 32},
    {"hw_counters", "resp_cqe_flush_error", 32},
    {"hw_counters", "resp_local_length_error", 32},
    {"hw_counters", "resp_remote_access_errors", 32},
    {"hw_counters", "rnr_nak_retry_err", 32},
    {"hw_counters", "roce_adp_retrans", 32},
    {"hw_counters", "roce_adp_retrans_to", 32},
    {"hw_counters", "roce_slow_restart", 32},
    {"hw_counters", "rx_icrc_encapsulated", 32},
};
static_assert(std::size(kErrorCounters) == nics::kCounters);

// Of packets, congestion and time: no fault changes them.
inline constexpr PortCounter kTrafficCounters[] = {
    {"counters", "multicast_rcv_packets", 0},
    {"counters", "multicast_xmit_packets", 0},
    {"counters", "port_rcv_data", 0},
    {"counters", "port_rcv_packets", 0},
    {"counters", "port_xmit_data", 0},
    {"counters", "port_xmit_packets", 0},
    {"counters", "port_xmit_wait", 0},
    {"counters", "unicast_rcv_packets", 0},
    {"counters", "unicast_xmit_packets", 0},
    {"hw_counters", "np_cnp_sent", 0},
    {"hw_counters", "np_ecn_marked_roce_packets", 0},
    {"hw_counters", "roce_slow_restart_cnps", 0},
    {"hw_counters", "roce_slow_restart_trans", 0},
    {"hw_counters", "rp_cnp_handled", 0},
    {"hw_counters", "rp_cnp_ignored", 0},
    {"hw_counters", "rx_atomic_requests", 0},
    {"hw_counters", "rx_dct_connect", 0},
    {"hw_counters", "rx_read_requests", 0},
    {"hw_counters", "rx_write_requests", 0},
};

}  // namespace nvmlkit::sim
