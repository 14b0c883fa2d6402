// Outputs beside the log: `topo -m`, `nvlink -s` and `mig -lgip`.
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

// A row of `topo -m`.
struct TopologyRow {
  Place place;
  std::string cpu_affinity;  // empty: not shown
  std::string numa_affinity;
  std::string gpu_numa_id;
  std::map<std::uint32_t, std::string> distances;  // to other GPUs, by their index: PIX, NODE, NV12
};

// A GPU in `nvlink -s`.
struct LinksOfGpu {
  Place place;
  std::string uuid;
  std::map<std::uint32_t, std::optional<std::string>> links;  // speed in MB/s; none: inactive
};

struct Tables {
  std::map<std::uint32_t, TopologyRow> topology;  // by index of the GPU
  std::map<std::uint32_t, LinksOfGpu> nvlinks;
  std::map<std::uint32_t, std::uint32_t> mig_instances;  // most GPU instances, by index of the GPU
};

// Each is nothing, or how many lines belong to the output that starts at lines[0].
std::size_t read_topology(const std::string& file, std::span<const Line> lines, Tables& tables);
std::size_t read_nvlinks(const std::string& file, std::span<const Line> lines, Tables& tables);
std::size_t read_mig_profiles(const std::string& file, std::span<const Line> lines, Tables& tables,
                              Leftovers& leftovers);

// Puts what the tables say into the machine that the logs describe.
void add_tables(const Tables& tables, MachineValues& machine);

}  // namespace nvmlkit::smi_log
