// Outputs beside the log: `topo -m`, `nvlink -s`, `-L`, `mig -lgip` and `mig -lgipp`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "smi_log/text.hpp"
#include "smi_log/values.hpp"

namespace nvmlkit::smi_log {

// `topo -m`: GPUs and network adapters, and how far they are from each other.
struct TopologyDevice {
  Place place;
  std::string name;                                      // GPU0, NIC0, mlx5_0
  std::optional<std::uint32_t> gpu;                      // its index
  std::string cpu_affinity, numa_affinity, gpu_numa_id;  // empty: not shown
};
struct Topology {
  std::vector<TopologyDevice> devices;
  std::map<std::pair<std::size_t, std::size_t>, std::string> distances;  // PIX, NODE, NV12
};

// A GPU in `nvlink -s`.
struct LinksOfGpu {
  Place place;
  std::string uuid;
  std::map<std::uint32_t, std::optional<std::string>> links;  // speed in MB/s; none: inactive
};

// A GPU in `-L`, with its MIG devices.
struct ListedMig {
  std::string profile;  // 1g.5gb, 1c.3g.20gb
  std::string uuid;
};
struct ListedGpu {
  Place place;
  std::string name, uuid;
  std::map<std::uint32_t, ListedMig> mig;  // by index of the MIG device
};

// A GPU instance profile in `mig -lgip`.
struct ListedProfile {
  Place place;
  std::string name;
  std::uint32_t id = 0, instances = 0;
  std::uint64_t memory_mib = 0;
  bool p2p = false;
  std::uint32_t sm = 0, dec = 0, enc = 0;
  std::optional<std::uint32_t> ce, jpeg, ofa;  // of the second line, which people cut off
};

// Where instances of a profile may lie: `mig -lgipp`.
struct ListedPlacement {
  std::vector<std::uint32_t> starts;
  std::uint32_t size = 0;
};

struct Tables {
  std::vector<std::string> unreadable;  // lines that have another form than is known
  Topology topology;                    // the first one
  std::map<std::uint32_t, LinksOfGpu> nvlinks;
  std::map<std::uint32_t, ListedGpu> listing;
  std::map<std::uint32_t, std::vector<ListedProfile>> mig_profiles;
  std::map<std::uint32_t, std::map<std::uint32_t, ListedPlacement>> mig_placements;  // by GPU and profile id
};

// Each is nothing, or how many lines belong to the output that starts at lines[0].
std::size_t read_topology(const std::string& file, std::span<const Line> lines, Tables& tables);
std::size_t read_topology_legend(std::string_view line, Tables& tables);
std::size_t read_nvlinks(const std::string& file, std::span<const Line> lines, Tables& tables);
std::size_t read_listing(const std::string& file, std::span<const Line> lines, Tables& tables);
std::size_t read_mig_profiles(const std::string& file, std::span<const Line> lines, Tables& tables);
std::size_t read_mig_placements(const std::string& file, std::span<const Line> lines, Tables& tables);

// The whole number that is all of `text`, or that stands behind a prefix: "GPU3", "Link 3".
std::optional<std::uint32_t> whole_number(std::string_view text);
std::optional<std::uint32_t> number_behind(std::string_view text, std::string_view prefix);

// Puts what the tables say into the machine that the logs describe.
void add_tables(const Tables& tables, MachineValues& machine);

}  // namespace nvmlkit::smi_log
