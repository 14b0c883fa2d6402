// The PCIe tree of the GPUs, from their distances and their affinity.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "capture/parts.hpp"
#include "sim/generated/model.hpp"

namespace nvmlkit::capture {
namespace {

using Level = std::uint64_t;
constexpr Level kHostBridge = sim::model::TopologyLevel::hostbridge;
constexpr Level kNode = sim::model::TopologyLevel::node;
constexpr Level kSystem = sim::model::TopologyLevel::system;
constexpr std::size_t kMostComplexes = 32;  // of a machine file
constexpr std::size_t kMostPlaces = 64;     // of each

const char* const kDistance = "nvmlDeviceGetTopologyCommonAncestor";
const char* const kCpus = "nvmlDeviceGetCpuAffinityWithinScope";
const char* const kMemory = "nvmlDeviceGetMemoryAffinity";

using Numbers = std::vector<std::uint32_t>;

Numbers bits(const Json* words) {
  Numbers out;
  for (std::uint32_t i = 0; words != nullptr && i < words->size(); ++i)
    for (std::uint32_t bit = 0; bit < 64; ++bit)
      if ((words->at(i).get<std::uint64_t>() >> bit & 1) != 0) out.push_back(i * 64 + bit);
  return out;
}

// 0-55,112-167
std::string ranges(const Numbers& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) out += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return out;
}

Numbers without(const Numbers& all, const Numbers& some) {
  Numbers out;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(out));
  return out;
}

Numbers together(const Numbers& a, const Numbers& b) {
  Numbers out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

struct Place {
  std::string bus_id;
  Numbers cpus, socket_cpus, nodes, socket_nodes;
  std::map<std::size_t, Level> distances;  // to the other GPUs, by their number
};

struct Complex {
  std::vector<std::size_t> gpus;
  Level level = 0;
};

class Tree {
 public:
  Tree(Record& host, const Answers& answers) : host_(host) {
    const auto gpus = answers.gpus();
    for (const auto* gpu : gpus) places_.push_back(place_of(*gpu, gpus));
  }

  void record() {
    const bool known = std::all_of(places_.begin(), places_.end(),
                                   [](const Place& place) { return !place.bus_id.empty() && !place.cpus.empty(); });
    if (places_.empty() || !known) return;
    gather();
    if (complexes_.size() > kMostComplexes) return host_.note("left out: a machine file has at most 32 root complexes");
    host_.set("pcie_topology.root_complexes", yaml(), {kDistance, kCpus, kMemory, "nvmlDeviceGetCpuAffinity"});
  }

 private:
  static Place place_of(const Object& gpu, const std::vector<const Object*>& gpus) {
    const auto list = [&](const std::string& question, const char* output) {
      return bits(at(gpu.answer(question), output));
    };
    Place out;
    out.cpus = list(fmt::format("{}(NVML_AFFINITY_SCOPE_NODE)", kCpus), "cpuSet");
    if (out.cpus.empty()) out.cpus = list("nvmlDeviceGetCpuAffinity", "cpuSet");
    out.socket_cpus = list(fmt::format("{}(NVML_AFFINITY_SCOPE_SOCKET)", kCpus), "cpuSet");
    out.socket_nodes = list(fmt::format("{}(NVML_AFFINITY_SCOPE_SOCKET)", kMemory), "nodeSet");
    out.nodes = list(fmt::format("{}(NVML_AFFINITY_SCOPE_NODE)", kMemory), "nodeSet");
    for (const char* question : {"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2"})
      if (const auto* id = at(gpu.answer(question), "pci.busId"); id != nullptr && out.bus_id.empty())
        out.bus_id = id->get<std::string>();
    for (std::size_t i = 0; i < gpus.size(); ++i)
      if (const auto* level = at(gpu.answer(fmt::format("{}({})", kDistance, gpus[i]->name)), "pathInfo");
          level != nullptr && gpus[i] != &gpu)
        out.distances[i] = level->get<Level>();
    return out;
  }

  // Two GPUs are in one root complex where they meet below it; so are all where every two are as far from each other.
  void gather() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      auto at = std::find_if(complexes_.begin(), complexes_.end(), [&](const Complex& c) {
        return std::any_of(c.gpus.begin(), c.gpus.end(),
                           [&](std::size_t other) { return distance(i, other) <= kHostBridge; });
      });
      if (at == complexes_.end()) at = complexes_.insert(at, Complex{});
      for (const auto other : at->gpus) at->level = std::max(at->level, distance(i, other));
      at->gpus.push_back(i);
    }
    merge_alike();
  }

  // Equal complexes of one GPU each become one complex, which contains the distance of its GPUs.
  void merge_alike() {
    if (complexes_.size() != places_.size() || places_.size() < 2 || places_.size() > kMostPlaces) return;
    const auto level = distance(0, 1);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].cpus != places_[0].cpus || places_[i].nodes != places_[0].nodes) return;
      for (std::size_t j = 0; j < i; ++j)
        if (distance(i, j) != level) return;
    }
    Complex all;
    for (std::size_t i = 0; i < places_.size(); ++i) all.gpus.push_back(i);
    all.level = level;
    complexes_ = {all};
  }

  Level distance(std::size_t a, std::size_t b) const {
    const auto at = places_[a].distances.find(b);
    return at == places_[a].distances.end() ? kSystem : at->second;
  }

  // GPUs of different complexes of one NUMA node are a node apart: a node that makes others of them is left out.
  bool says_node(std::size_t complex) const {
    const auto gpu = complexes_[complex].gpus.front();
    if (places_[gpu].nodes.size() != 1) return false;
    for (const auto& other : complexes_) {
      const auto there = other.gpus.front();
      if (&other != &complexes_[complex] && places_[there].nodes == places_[gpu].nodes && distance(gpu, there) != kNode)
        return false;
    }
    return true;
  }

  // What the answers tell of a CPU socket, and what of it was put down with GPUs.
  struct Socket {
    std::size_t number;
    Numbers cpus, nodes, told_cpus, told_nodes;
  };

  std::string yaml() const {
    std::map<Numbers, Socket> sockets;
    FlowList out;
    for (std::size_t i = 0; i < complexes_.size(); ++i) {
      const auto& complex = complexes_[i];
      const auto& place = places_[complex.gpus.front()];
      FlowMap item;
      item.add("id", in_quotes(fmt::format("pci{}", i)));
      if (says_node(i)) item.add("numa_node", place.nodes.front());
      if (!place.socket_cpus.empty() && place.socket_cpus != place.cpus) {
        const Socket fresh{sockets.size(), place.socket_cpus, place.socket_nodes, {}, {}};
        auto& socket = sockets.try_emplace(place.socket_cpus, fresh).first->second;
        socket.told_cpus = together(socket.told_cpus, place.cpus);
        socket.told_nodes = together(socket.told_nodes, place.nodes);
        item.add("socket", socket.number);
      }
      if (const auto word = word_of("topology.default_level", complex.level); complex.gpus.size() > 1 && !word.empty())
        item.add("level", word);
      item.add("cpu_affinity", in_quotes(ranges(place.cpus)));
      FlowList devices;
      for (const auto gpu : complex.gpus) devices.add(in_quotes(places_[gpu].bus_id));
      item.add("devices", devices.yaml());
      out.add(item.yaml());
    }
    for (const auto& [cpus, socket] : sockets) add_rest(socket, out);
    return out.yaml();
  }

  // NUMA nodes of a socket that no GPU is near. No source says which CPUs are whose: the first gets all.
  static void add_rest(const Socket& socket, FlowList& out) {
    auto cpus = without(socket.cpus, socket.told_cpus);
    for (const auto node : without(socket.nodes, socket.told_nodes)) {
      FlowMap item;
      item.add("id", in_quotes(fmt::format("node{}", node)));
      item.add("numa_node", node);
      item.add("socket", socket.number);
      if (!cpus.empty()) item.add("cpu_affinity", in_quotes(ranges(cpus)));
      cpus.clear();
      out.add(item.yaml());
    }
  }

  Record& host_;
  std::vector<Place> places_;
  std::vector<Complex> complexes_;
};

}  // namespace

void record_topology(Record& host, const Answers& answers) { Tree(host, answers).record(); }

}  // namespace nvmlkit::capture
