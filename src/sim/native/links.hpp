// The NVLinks of a GPU: their other ends and their counters. Part of the GPU's block: no pointers, zero bytes mean no
// links, and reading any bytes is safe.
#pragma once

#include <cstdint>

#include "sim/model/pci_bus_id.hpp"

namespace nvmlkit::sim::links {

inline constexpr std::uint32_t kMaxLinks = 36;

enum class Remote : std::uint32_t { nothing, gpu, npu, nvswitch, unknown };

struct Link {
  Remote remote;
  std::uint32_t remote_link;
  std::uint32_t remote_gpu;  // where the remote end is a GPU of this machine: its place
  std::uint32_t has_bus_id;  // what the host cannot see has none
  model::PciBusId remote_bus_id;
};

enum Error : std::uint32_t { replay, recovery, crc_flit, crc_data, ecc_data, error_kinds };

struct Counters {
  double bytes;  // of work that only load stands for: sent, and as many received
  double errors[error_kinds];
  double sent, received;  // that programs moved
};

struct State {
  std::uint32_t count;
  std::uint32_t version;          // of the links: 1 to 6
  std::uint32_t mbps;             // of one link and direction
  std::uint32_t begin_anew;       // what a GPU reset asks for: counters are zero with the next commit
  std::uint64_t configured_down;  // a bit for each inactive link of the machine file
  std::uint64_t remote_down;      // a bit for each link whose remote GPU cannot use it
  double traffic;                 // share of the bandwidth that a fully busy GPU uses
  double error_rate;              // errors per second of an erring link
  std::uint64_t erring;           // links with errors that the machine file asks for
  // Counters as they were at that instant, when the GPU had done that much work.
  std::int64_t counted_at_ns;
  double counted_work;
  Link links[kMaxLinks];
  Counters counters[kMaxLinks];
};

}  // namespace nvmlkit::sim::links
