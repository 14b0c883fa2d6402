// topo -m: how the GPUs reach each other, their CPUs and their memory. topo -p2p: what they may do to each other.
#include <fmt/format.h>

#include <nvmlkit/ranges.hpp>

#include "smi/commands.hpp"

namespace nvmlkit::smi {
namespace {

constexpr int kUnknownTopoCommand = 255, kBadTopoValue = 2;
constexpr std::size_t kMaskWords = 16;

// "0-3,8" of a mask of CPUs or NUMA nodes.
std::string ranges_of(const std::vector<unsigned long>& mask) {
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  const auto has = [&](std::size_t bit) {
    return bit / kBits < mask.size() && (mask[bit / kBits] >> bit % kBits & 1) != 0;
  };
  std::string text;
  for (std::size_t bit = 0; bit < kBits * mask.size(); ++bit) {
    if (!has(bit)) continue;
    const auto first = bit;
    while (has(bit + 1)) ++bit;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (bit > first) text += fmt::format("-{}", bit);
  }
  return text;
}

std::string mask_text(const nvml::Result<std::vector<unsigned long>>& mask) {
  const auto text = mask ? ranges_of(*mask) : std::string();
  return text.empty() ? "N/A" : text;
}

// The active links to a switch, or to the other GPU.
unsigned links_between(const Gpu& gpu, const Gpu& other) {
  const auto links = gpu->nvlinks();
  if (!links) return 0;
  unsigned count = 0;
  for (unsigned i = 0; i < links->size(); ++i) {
    const auto link = (*links)[i];
    const auto active = link.active();
    if (!active || !*active) continue;
    const auto kind = link.remote_device_type();
    const auto remote = link.remote_pci_bus_id();
    if ((kind && *kind == nvml::NvLinkDeviceType::switch_) || (remote && *remote == other.bus_id())) ++count;
  }
  return count;
}

std::string path_between(const Gpu& gpu, const Gpu& other) {
  const auto links = std::min(links_between(gpu, other), links_between(other, gpu));
  if (links != 0) return fmt::format("NV{}", links);
  const auto level = gpu->topology_common_ancestor(other.device());
  if (!level) return "N/A";
  switch (*level) {
    case nvml::TopologyLevel::internal:
    case nvml::TopologyLevel::single:
      return "PIX";
    case nvml::TopologyLevel::multiple:
      return "PXB";
    case nvml::TopologyLevel::hostbridge:
      return "PHB";
    case nvml::TopologyLevel::node:
      return "NODE";
    default:
      return "SYS";
  }
}

std::string own_node(const Gpu& gpu) {
  auto node = gpu->numa_node_id();
  if (!node && node.error() == nvml::Errc::function_not_found) node = gpu.private_table().numa_node(gpu.device());
  return node ? std::to_string(*node) : "N/A";
}

constexpr const char* kLegend =
    "\nLegend:\n\n"
    "  X    = Self\n"
    "  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)\n"
    "  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node\n"
    "  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)\n"
    "  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)\n"
    "  PIX  = Connection traversing at most a single PCIe bridge\n"
    "  NV#  = Connection traversing a bonded set of # NVLinks\n";

std::string matrix(const std::vector<Gpu>& gpus) {
  std::string out = "\t\033[4m";
  for (const auto& gpu : gpus) out += fmt::format("GPU{}\t", gpu.index());
  out += "CPU Affinity\tNUMA Affinity\tGPU NUMA ID\033[0m\n";
  for (const auto& gpu : gpus) {
    out += fmt::format("GPU{}\t", gpu.index());
    for (const auto& other : gpus) out += (gpu.index() == other.index() ? " X " : path_between(gpu, other)) + "\t";
    const auto memory = gpu->memory_affinity(nvml::AffinityScope::node, kMaskWords);
    out += fmt::format("{}\t{}\t\t{}\n", mask_text(gpu->cpu_affinity(kMaskWords)), mask_text(memory), own_node(gpu));
  }
  return out + kLegend;
}

std::string peer_text(const Gpu& gpu, const Gpu& other, nvml::P2pCapability capability) {
  const auto status = gpu->p2p_status(other.device(), capability);
  if (!status) return status.error() == nvml::Errc::not_supported ? "NS" : "U";
  switch (*status) {
    case nvml::P2pStatus::ok:
      return "OK";
    case nvml::P2pStatus::chipset_not_supported:
      return "CNS";
    case nvml::P2pStatus::gpu_not_supported:
      return "GNS";
    case nvml::P2pStatus::ioh_topology_not_supported:
      return "TNS";
    case nvml::P2pStatus::not_supported:
      return "NS";
    default:
      return "U";
  }
}

constexpr const char* kPeerLegend =
    "\nLegend:\n\n"
    "  X    = Self\n"
    "  OK   = Status Ok\n"
    "  CNS  = Chipset not supported\n"
    "  GNS  = GPU not supported\n"
    "  TNS  = Topology not supported\n"
    "  NS   = Not supported\n"
    "  U    = Unknown\n";

Output peers(const std::vector<Gpu>& gpus, const std::string& letter) {
  constexpr std::pair<std::string_view, nvml::P2pCapability> kLetters[] = {{"r", nvml::P2pCapability::read},
                                                                           {"w", nvml::P2pCapability::write},
                                                                           {"n", nvml::P2pCapability::nvlink},
                                                                           {"a", nvml::P2pCapability::atomics},
                                                                           {"p", nvml::P2pCapability::pci}};
  const nvml::P2pCapability* capability = nullptr;
  for (const auto& [known, meaning] : kLetters)
    if (known == letter) capability = &meaning;
  if (!capability) return {"Invalid p2p capability index specified at the command-line\n", kBadTopoValue};
  std::string out = " \t\033[4m";
  for (const auto& gpu : gpus) out += fmt::format("GPU{}\t", gpu.index());
  out += "\033[0m\n";
  for (const auto& gpu : gpus) {
    out += fmt::format(" GPU{}\t", gpu.index());
    for (const auto& other : gpus)
      out += (gpu.index() == other.index() ? "X" : peer_text(gpu, other, *capability)) + "\t";
    out += "\n";
  }
  return {out + kPeerLegend};
}

}  // namespace

Output topology(const Selection& selection, const Options& options) {
  const auto& words = options.words;
  const auto is = [&](std::string_view short_name, std::string_view long_name) {
    return !words.empty() && (words[0] == short_name || words[0] == long_name);
  };
  if (is("-m", "--matrix") && words.size() == 1) return {matrix(selection.gpus)};
  if (is("-p2p", "--p2pstatus")) {
    if (words.size() == 1) return {fmt::format("Option \"{}\" is missing its value.\n", words[0]), kBadTopoValue};
    if (words.size() == 2) return peers(selection.gpus, words[1]);
  }
  return {"nvmlkit smi knows of topo the matrices: topo -m, topo -p2p r|w|n|a|p\n", kUnknownTopoCommand};
}

}  // namespace nvmlkit::smi
