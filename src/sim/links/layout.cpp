#include "sim/links/layout.hpp"

#include <algorithm>
#include <vector>

#include "sim/links/links.hpp"
#include "sim/state/machine.hpp"
#include "storage/hash.hpp"

namespace nvmlkit::sim::links {
namespace {

using model::Gpu;

constexpr double kDefaultTraffic = 0.25;  // share of the bandwidth that a busy GPU uses

std::uint64_t bit(std::uint32_t link) { return std::uint64_t{1} << link; }

bool is_down(const model::Text<16>& state) { return state.view() == "inactive" || state.view() == "down"; }

class Layout {
 public:
  explicit Layout(Machine& machine)
      : machine_(machine), said_(machine.host().nvlink), gpus_(machine.gpus()), next_port_(said_.switches.size()) {}

  void lay_out_all() {
    for (std::size_t i = 0; i < gpus_.size(); ++i) begin(i);
    const auto per_gpu = count();
    if (per_gpu == 0) return;
    if (!said_.connections.empty()) {
      for (const auto& c : said_.connections.span()) connect(c.from.value_or(0), c.to.value_or(0), c.links.value_or(1));
    } else if (gpus_.size() == 2 && said_.switches.empty()) {
      connect(0, 1, per_gpu);
    } else {
      for (auto& gpu : gpus_) connect_to_switches(gpu);
    }
    for (auto& gpu : gpus_)
      for (const auto& link : said_.links.span()) change(gpu, link);
    for (const auto& device : said_.device_links.span())
      if (const auto i = device.index.value_or(0); i < gpus_.size())
        for (const auto& link : device.links.span()) change(gpus_[i], link);
    for (auto& gpu : gpus_)
      for (std::uint32_t link = 0; link < per_gpu; ++link)
        if (gpu.links.links[link].remote == Remote::nothing) gpu.links.configured_down |= bit(link);
  }

 private:
  // The file's number, or the length of its list.
  std::uint32_t count() const {
    std::uint32_t listed = 0;
    const auto look = [&](const auto& links) {
      for (const auto& link : links.span()) listed = std::max(listed, link.link.value_or(0) + 1);
    };
    look(said_.links);
    for (const auto& device : said_.device_links.span()) look(device.links);
    return std::min(said_.links_per_gpu.value_or(listed), kMaxLinks);
  }

  void begin(std::size_t index) {
    auto& gpu = gpus_[index];
    auto& links = gpu.links;
    links = {};
    links.count = count();
    links.version = said_.version.value_or(0);
    links.mbps = said_.bandwidth_per_link_mbps.value_or(0);
    links.traffic = said_.defaults.duty_cycle.value_or(kDefaultTraffic);
    links.error_rate = gpu.nvlink_error.rate.value_or(said_.defaults.error_rate.value_or(0));
    if (said_.defaults.state && is_down(*said_.defaults.state)) links.configured_down = ~std::uint64_t{0};
    if (links.error_rate > 0) {
      for (const auto link : gpu.nvlink_error.links.span())
        if (link < kMaxLinks) links.erring |= bit(link);
      if (gpu.nvlink_error.links.empty()) links.erring = ~std::uint64_t{0};
    }
    if (!said_.defaults.counter_seed) return;
    for (std::uint32_t link = 0; link < links.count; ++link) {
      storage::Hash hash;
      hash.add(*said_.defaults.counter_seed);
      hash.add(static_cast<std::uint32_t>(index * kMaxLinks + link));
      links.counters[link].bytes = static_cast<double>(hash.value() >> 24);
    }
  }

  std::optional<std::uint32_t> free_link(const Gpu& gpu) const {
    for (std::uint32_t link = 0; link < gpu.links.count; ++link)
      if (gpu.links.links[link].remote == Remote::nothing) return link;
    return {};
  }

  void join(std::size_t from, std::uint32_t link, std::size_t to, std::uint32_t remote_link) {
    auto& end = gpus_[from].links.links[link];
    end.remote = Remote::gpu;
    end.remote_link = remote_link;
    end.remote_gpu = static_cast<std::uint32_t>(to);
    set_bus_id(end, gpus_[to].pci.bus_id);
  }

  void connect(std::size_t from, std::size_t to, std::uint32_t links) {
    if (from >= gpus_.size() || to >= gpus_.size() || from == to) return;
    for (std::uint32_t i = 0; i < links; ++i) {
      const auto a = free_link(gpus_[from]), b = free_link(gpus_[to]);
      if (!a || !b) return;
      join(from, *a, to, *b);
      join(to, *b, from, *a);
    }
  }

  // The links of a GPU are shared out evenly, in order.
  void connect_to_switches(Gpu& gpu) {
    const auto switches = said_.switches.span();
    for (std::uint32_t link = 0; link < gpu.links.count; ++link) {
      auto& end = gpu.links.links[link];
      end.remote = Remote::nvswitch;
      end.remote_link = link;
      if (switches.empty()) continue;
      const auto which = link * switches.size() / gpu.links.count;
      end.remote_link = next_port_[which]++;
      set_bus_id(end, switches[which].bdf);
    }
  }

  void change(Gpu& gpu, const model::NvLinkLink& said) {
    const auto link = said.link.value_or(kMaxLinks);
    if (link >= gpu.links.count) return;
    auto& end = gpu.links.links[link];
    if (said.state && is_down(*said.state)) gpu.links.configured_down |= bit(link);
    if (said.state && !is_down(*said.state)) gpu.links.configured_down &= ~bit(link);
    if (said.remote_device_type) end.remote = remote_of(said.remote_device_type->view());
    if (said.remote_index && *said.remote_index < gpus_.size()) {
      join(machine_.index_of(gpu), link, *said.remote_index, link);
    } else if (said.remote_pci_bus_id) {
      set_bus_id(end, said.remote_pci_bus_id);
      recognize(end);
    }
  }

  static Remote remote_of(std::string_view word) {
    if (word == "gpu") return Remote::gpu;
    if (word == "switch") return Remote::nvswitch;
    return word == "npu" || word == "ibmnpu" ? Remote::npu : Remote::unknown;
  }

  // What is at an address of this machine is known.
  void recognize(Link& end) const {
    for (std::size_t i = 0; i < gpus_.size(); ++i)
      if (gpus_[i].pci.bus_id && *gpus_[i].pci.bus_id == end.remote_bus_id) {
        end.remote = Remote::gpu;
        end.remote_gpu = static_cast<std::uint32_t>(i);
      }
    for (const auto& one : said_.switches.span())
      if (one.bdf && *one.bdf == end.remote_bus_id) end.remote = Remote::nvswitch;
    if (end.remote == Remote::nothing) end.remote = Remote::unknown;
  }

  static void set_bus_id(Link& end, const model::Field<model::PciBusId>& id) {
    end.has_bus_id = id.present ? 1 : 0;
    if (id) end.remote_bus_id = *id;
  }

  Machine& machine_;
  const model::NvLink& said_;
  std::span<Gpu> gpus_;
  std::vector<std::uint32_t> next_port_;  // of each NVSwitch
};

}  // namespace

void lay_out(Machine& machine) { Layout(machine).lay_out_all(); }

Expected<void> check(const Machine& machine) {
  const auto& said = machine.host().nvlink;
  const auto gpus = machine.gpus().size();
  std::vector<std::uint64_t> used(gpus);
  for (std::uint32_t i = 0; i < said.connections.size(); ++i) {
    const auto refuse = [i](std::string what) {
      return fail(contradiction(std::move(what)).of_item("nvlink.connections", i));
    };
    const auto& c = said.connections.span()[i];
    if (c.from.value_or(0) >= gpus || c.to.value_or(0) >= gpus) continue;  // a machine started with fewer GPUs
    for (const auto end : {c.from.value_or(0), c.to.value_or(0)}) {
      used[end] += c.links.value_or(1);
      if (used[end] > said.links_per_gpu.value_or(0))
        return refuse("GPU " + std::to_string(end) + " has " + std::to_string(said.links_per_gpu.value_or(0)) +
                      " links (links_per_gpu), and this needs " + std::to_string(used[end]));
    }
    if (c.from.value_or(0) == c.to.value_or(0)) return refuse("a GPU is not connected to itself");
  }
  return {};
}

}  // namespace nvmlkit::sim::links
