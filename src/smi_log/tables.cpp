#include "smi_log/tables.hpp"

#include <algorithm>

#include "sim/text/flow.hpp"
#include "sim/text/numbers.hpp"
#include "smi_log/topology.hpp"
#include "smi_log/units.hpp"

namespace nvmlkit::smi_log {
namespace {

GpuValues* gpu_at(MachineValues& machine, std::uint32_t index) {
  return index < machine.gpus.size() ? &machine.gpus[index] : nullptr;
}

void add_nvlinks(const Tables& tables, MachineValues& machine) {
  std::size_t most = 0;
  std::string speed;
  sim::text::FlowList inactive;
  for (const auto& [index, gpu] : tables.nvlinks) {
    most = std::max(most, gpu.links.size());
    sim::text::FlowList down;
    for (const auto& [link, mbps] : gpu.links) {
      if (mbps && speed.empty()) speed = *mbps;
      if (mbps) continue;
      sim::text::FlowMap state;
      state.add("link", link);
      state.add("state", "inactive");
      down.add(state.yaml());
    }
    if (down.empty()) continue;
    sim::text::FlowMap links;
    links.add("index", index);
    links.add("links", down.yaml());
    inactive.add(links.yaml());
  }
  if (most == 0) return;
  const Place place = tables.nvlinks.begin()->second.place;
  machine.host.try_emplace("nvlink.links_per_gpu", Value{std::to_string(most), place});
  if (!speed.empty()) machine.host.try_emplace("nvlink.bandwidth_per_link_mbps", Value{speed, place});
  if (!inactive.empty()) machine.host.try_emplace("nvlink.device_links", Value{inactive.yaml(), place});
}

}  // namespace

std::optional<std::uint32_t> whole_number(std::string_view text) { return sim::text::number_of<std::uint32_t>(text); }

std::optional<std::uint32_t> number_behind(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return {};
  return whole_number(trim(text.substr(prefix.size())));
}

std::size_t read_nvlinks(const std::string& file, std::span<const Line> lines, Tables& tables) {
  std::size_t used = 0;
  while (used < lines.size()) {
    const auto title = trim(lines[used].text);
    const auto colon = title.find(':');
    const auto index = number_behind(title.substr(0, colon), "GPU");
    const auto uuid = title.find("(UUID: ");
    if (!index || uuid == std::string_view::npos || !title.ends_with(')')) break;
    LinksOfGpu gpu{{file, lines[used].number}, std::string(title.substr(uuid + 7, title.size() - uuid - 8)), {}};
    std::size_t at = used + 1;
    for (; at < lines.size(); ++at) {
      const auto text = trim(lines[at].text);
      const auto link = number_behind(text.substr(0, text.find(':')), "Link");
      if (!link) break;
      const auto value = trim(text.substr(std::min(text.find(':'), text.size() - 1) + 1));
      std::optional<std::string> mbps;
      if (const auto end = value.find(" GB/s"); end != std::string_view::npos) {
        mbps = read_value(value.substr(0, end), Unit::milli, {});
      }
      if (value == "<inactive>" || mbps)
        gpu.links[*link] = mbps;
      else
        tables.unreadable.push_back(Place{file, lines[at].number}.text() +
                                    ": left out: expected a speed such as 25 GB/s, or <inactive>, got '" +
                                    std::string(value) + "'");
    }
    if (gpu.links.empty()) break;  // `nvidia-smi -L` lists GPUs alike
    tables.nvlinks.try_emplace(*index, std::move(gpu));
    used = at;
  }
  return used;
}

void add_tables(const Tables& tables, MachineValues& machine) {
  for (const auto& line : tables.unreadable) machine.leftovers.unreadable.push_back(line);
  for (const auto& [index, listed] : tables.listing)
    if (auto* gpu = gpu_at(machine, index)) {
      gpu->values.try_emplace("name", Value{quoted(listed.name), listed.place});
      gpu->values.try_emplace("uuid", Value{quoted(listed.uuid), listed.place});
    }
  add_nvlinks(tables, machine);
  add_topology(tables.topology, machine);
}

}  // namespace nvmlkit::smi_log
