// NVLink: the number of links, their other ends, the links that are down.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "capture/parts.hpp"

namespace nvmlkit::capture {
namespace {

constexpr std::size_t kMostLinks = 18;
constexpr std::size_t kMostLinkedDevices = 16;  // GPUs whose links a machine file may list
const char* const kState = "nvmlDeviceGetNvLinkState";
const char* const kRemote = "nvmlDeviceGetNvLinkRemotePciInfo_v2";
const char* const kVersion = "nvmlDeviceGetNvLinkVersion";
const char* const kType = "nvmlDeviceGetNvLinkRemoteDeviceType";

struct Link {
  bool active = false;
  std::string remote;  // the PCI address of the other end; empty: none that the host sees
  std::uint64_t type = 255;
  std::optional<std::size_t> gpu;       // at the other end, by its number
  std::optional<std::size_t> far_link;  // and which link of it this is
};

constexpr std::uint64_t kToGpu = 0, kToSwitch = 2;

// The links of one GPU; none of a GPU that says nothing of them.
std::vector<Link> links_of(const Object& gpu) {
  std::vector<Link> out;
  for (std::size_t i = 0; i < kMostLinks; ++i) {
    const auto* state = at(gpu.answer(fmt::format("{}({})", kState, i)), "isActive");
    if (state == nullptr) break;
    Link link{*state == 1, {}, 255, {}, {}};
    if (const auto* id = at(gpu.answer(fmt::format("{}({})", kRemote, i)), "pci.busId"))
      if (const auto text = id->get<std::string>(); !text.starts_with("FFFFFFFF")) link.remote = text;
    if (const auto* type = at(gpu.answer(fmt::format("{}({})", kType, i)), "pNvLinkDeviceType"))
      link.type = type->get<std::uint64_t>();
    const auto far = fmt::format("nvmlDeviceGetFieldValues(NVML_FI_DEV_NVLINK_REMOTE_NVLINK_ID, {})", i);
    if (const auto* id = at(gpu.answer(far), "value"); id != nullptr && link.active)
      link.far_link = id->get<std::size_t>();
    out.push_back(link);
  }
  return out;
}

// NVML_NVLINK_VERSION_3_0 is 4, and so on.
std::optional<int> version(std::uint64_t nvml) {
  static const std::map<std::uint64_t, int> versions{{1, 1}, {2, 2}, {3, 2}, {4, 3}, {5, 3}, {6, 4}, {7, 5}, {8, 6}};
  const auto found = versions.find(nvml);
  return found == versions.end() ? std::nullopt : std::optional(found->second);
}

class Fabric {
 public:
  Fabric(Record& host, const Answers& answers) : host_(host), gpus_(answers.gpus()) {
    for (const auto* gpu : gpus_) {
      links_.push_back(links_of(*gpu));
      most_ = std::max(most_, links_.back().size());
      silent_ = silent_ && failed(gpu->answer(fmt::format("{}(0)", kState)), "NOT_SUPPORTED") && !in_mig_mode(*gpu);
    }
  }

  void record() {
    if (gpus_.empty()) return;
    if (most_ == 0) {
      // GPUs in MIG mode do not tell.
      if (silent_) host_.set("nvlink.links_per_gpu", "0", {kState});
      return;
    }
    host_.set("nvlink.links_per_gpu", std::to_string(most_), {kState});
    record_values();
    record_ends();
    record_down();
  }

 private:
  static bool in_mig_mode(const Object& gpu) {
    const auto* mode = at(gpu.answer("nvmlDeviceGetMigMode"), "currentMode");
    return mode != nullptr && *mode == 1;
  }

  // What all links have alike, of the first GPU that has links.
  void record_values() {
    const auto first = static_cast<std::size_t>(
        std::find_if(links_.begin(), links_.end(), [](const auto& links) { return !links.empty(); }) - links_.begin());
    const auto& gpu = *gpus_[first];
    if (const auto* told = at(gpu.answer(fmt::format("{}(0)", kVersion)), "version"))
      if (const auto number = version(told->get<std::uint64_t>()))
        host_.set("nvlink.version", std::to_string(*number), {kVersion});
    for (const char* field :
         {"NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON", "NVML_FI_DEV_NVLINK_GET_SPEED", "NVML_FI_DEV_NVLINK_SPEED_MBPS_L0"}) {
      const auto question = fmt::format("nvmlDeviceGetFieldValues({}, 0)", field);
      if (const auto* speed = at(gpu.answer(question), "value"); speed != nullptr && *speed != 0)
        host_.set("nvlink.bandwidth_per_link_mbps", speed->dump(), {question});
    }
    const std::string info = "nvmlDeviceGetNvLinkInfo";
    if (const auto* on = at(gpu.answer(info), "info.isNvleEnabled"))
      host_.set("nvlink.encryption", *on == 1 ? "true" : "false", {info});
    const std::pair<const char*, std::uint64_t> kinds[] = {
        {"mse", 1}, {"netir", 2}, {"netir_uphy", 3}, {"netir_cln", 4}, {"netir_dln", 5}};
    const auto* versions = at(gpu.answer(info), "info.firmwareInfo.firmwareVersion");
    for (const auto& [field, kind] : kinds)
      for (std::size_t i = 0; versions != nullptr && i < versions->size(); ++i)
        if (const auto& one = versions->at(i); one["ucodeType"] == kind)
          host_.set(
              fmt::format("nvlink.firmware.{}", field),
              in_quotes(fmt::format("{}.{}.{}", one["major"].dump(), one["minor"].dump(), one["subMinor"].dump())),
              {info});
  }

  // NVSwitches in the order in which the links of a GPU lead to them, or GPUs that are connected directly.
  void record_ends() {
    FlowList switches, connections;
    std::vector<std::string> known;
    for (const auto& links : links_)
      for (const auto& link : links)
        if (link.active && link.type == kToSwitch && !link.remote.empty() &&
            std::find(known.begin(), known.end(), link.remote) == known.end()) {
          known.push_back(link.remote);
          FlowMap one;
          one.add("bdf", in_quotes(link.remote));
          switches.add(one.yaml());
        }
    find_peers();
    for (const auto& [from, to, count] : in_order()) {
      FlowMap one;
      one.add("from", from);
      one.add("to", to);
      one.add("links", count);
      connections.add(one.yaml());
    }
    const std::vector<std::string> questions{kRemote, kType, "nvmlDeviceGetP2PStatus"};
    host_.set("nvlink.switches", switches, questions);
    host_.set("nvlink.connections", connections, questions);
  }

  struct Connection {
    std::size_t from, to;
    std::uint64_t links;
  };

  // Links that lead to GPUs. One that is down does not tell where it leads: to the next GPU with one that is down too.
  void find_peers() {
    bool any = false;
    for (auto& links : links_)
      for (auto& link : links)
        if (const auto to = link.type == kToGpu ? gpu_at(link.remote) : gpus_.size(); to < gpus_.size())
          link.gpu = to, any = true;
    if (!any) return;
    for (std::size_t from = 0; from < links_.size(); ++from)
      for (std::size_t link = 0; link < links_[from].size(); ++link)
        if (!links_[from][link].active && !links_[from][link].gpu) join_down(from, link);
  }

  void join_down(std::size_t from, std::size_t link) {
    for (std::size_t to = from + 1; to < links_.size(); ++to)
      for (std::size_t far = 0; far < links_[to].size(); ++far) {
        auto& end = links_[to][far];
        if (end.active || end.gpu) continue;
        end.gpu = from, end.far_link = link;
        links_[from][link].gpu = to, links_[from][link].far_link = far;
        return;
      }
  }

  // A connection takes the lowest links that are free at both ends, so that the order determines the ends of each link.
  std::vector<Connection> in_order() const {
    std::vector<Connection> out;
    std::vector<std::size_t> next(links_.size());
    const auto connect = [&](std::size_t from, std::size_t to) {
      ++next[from], ++next[to];
      const auto ends = std::minmax(from, to);
      if (!out.empty() && out.back().from == ends.first && out.back().to == ends.second)
        ++out.back().links;
      else
        out.push_back({ends.first, ends.second, 1});
    };
    // First those of which both ends say so, then the others as they come.
    for (const bool sure : {true, false})
      for (bool again = true; std::exchange(again, false);)
        for (std::size_t from = 0; from < links_.size(); ++from)
          while (next[from] < links_[from].size() && links_[from][next[from]].gpu) {
            const auto& link = links_[from][next[from]];
            const auto to = *link.gpu;
            const bool both = next[to] < links_[to].size() && links_[to][next[to]].gpu == from;
            if (!both || (sure && link.far_link != next[to])) break;
            connect(from, to);
            again = true;
          }
    return out;
  }

  void record_down() {
    FlowList devices;
    std::size_t count = 0;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      FlowList down;
      for (std::size_t link = 0; link < links_[i].size(); ++link)
        if (!links_[i][link].active) down.add(fmt::format("{{link: {}, state: inactive}}", link));
      if (down.empty()) continue;
      ++count;
      devices.add(fmt::format("{{index: {}, links: {}}}", i, down.yaml()));
    }
    if (count > kMostLinkedDevices) return host_.note("left out: links that are down, on more than 16 GPUs");
    host_.set("nvlink.links", "[]", {kState});
    host_.set("nvlink.device_links", devices, {kState});
  }

  std::size_t gpu_at(const std::string& bus_id) const {
    for (std::size_t i = 0; i < gpus_.size(); ++i)
      if (const auto* id = at(gpus_[i]->answer("nvmlDeviceGetPciInfo_v3"), "pci.busId"); id != nullptr && *id == bus_id)
        return i;
    return gpus_.size();
  }

  Record& host_;
  std::vector<const Object*> gpus_;
  std::vector<std::vector<Link>> links_;
  std::size_t most_ = 0;
  bool silent_ = true;
};

}  // namespace

void record_links(Record& host, const Answers& answers) { Fabric(host, answers).record(); }

}  // namespace nvmlkit::capture
