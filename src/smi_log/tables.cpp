#include "smi_log/tables.hpp"

#include <algorithm>
#include <charconv>

#include "smi_log/units.hpp"

namespace nvmlkit::smi_log {
namespace {

// Text without the escape sequences with which nvidia-smi underlines on a terminal.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      for (i += 2; i < text.size() && (text[i] < '@' || text[i] > '~'); ++i) {
      }
      continue;
    }
    out += text[i];
  }
  return out;
}

std::vector<std::string> cells(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (at <= text.size()) {
    const auto end = std::min(text.find(separator, at), text.size());
    out.emplace_back(trim(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

GpuValues* gpu_at(MachineValues& machine, std::uint32_t index) {
  return index < machine.gpus.size() ? &machine.gpus[index] : nullptr;
}

// GPUs that meet below or in a host bridge hang under one root complex of the machine file. Of those that NVLink
// connects the matrix does not tell.
struct Complex {
  std::string cpus, numa, devices;
  std::string_view level;
  std::vector<std::uint32_t> members;
};

// How the machine file calls a distance within a root complex; empty for all others.
std::string_view level_of(std::string_view distance) {
  return distance == "PIX" ? "single" : distance == "PXB" ? "multiple" : distance == "PHB" ? "hostbridge" : "";
}

bool is_farther(std::string_view level, std::string_view than) {
  static constexpr std::string_view order[] = {"", "single", "multiple", "hostbridge"};
  return std::find(std::begin(order), std::end(order), level) > std::find(std::begin(order), std::end(order), than);
}

void add_topology(const Tables& tables, MachineValues& machine) {
  constexpr std::size_t most_complexes = 32;  // of a machine file
  std::vector<Complex> complexes;
  for (const auto& of_gpu : tables.topology) {  // clang 14 takes no structured binding into a lambda
    const auto index = of_gpu.first;
    const auto& row = of_gpu.second;
    auto* gpu = gpu_at(machine, index);
    if (gpu == nullptr) continue;
    if (whole_number(row.gpu_numa_id)) gpu->values.try_emplace("numa_node_id", Value{row.gpu_numa_id, row.place});
    if (row.cpu_affinity.empty() || row.cpu_affinity == "N/A") continue;
    std::string_view level;
    auto at = std::find_if(complexes.begin(), complexes.end(), [&](const Complex& complex) {
      for (const auto member : complex.members)
        if (const auto to = row.distances.find(member); to != row.distances.end())
          if (const auto here = level_of(to->second); is_farther(here, level)) level = here;
      return !level.empty();
    });
    if (at == complexes.end()) at = complexes.insert(at, {row.cpu_affinity, row.numa_affinity, {}, {}, {}});
    if (is_farther(level, at->level)) at->level = level;
    at->members.push_back(index);
    at->devices += (at->devices.empty() ? "" : ", ") + quoted(gpu->bus_id);
  }
  if (complexes.empty() || complexes.size() > most_complexes) return;
  std::string list;
  for (std::size_t i = 0; i < complexes.size(); ++i) {
    const auto& c = complexes[i];
    list += (i > 0 ? ", {id: " : "{id: ") + quoted("pci" + std::to_string(i));
    if (whole_number(c.numa)) list += ", numa_node: " + c.numa;
    if (!c.level.empty()) list += ", level: " + std::string(c.level);
    list += ", cpu_affinity: " + quoted(c.cpus) + ", devices: [" + c.devices + "]}";
  }
  machine.host.try_emplace("pcie_topology.root_complexes",
                           Value{"[" + list + "]", tables.topology.begin()->second.place});
}

void add_nvlinks(const Tables& tables, MachineValues& machine) {
  std::size_t most = 0;
  std::string speed, inactive;
  for (const auto& [index, gpu] : tables.nvlinks) {
    most = std::max(most, gpu.links.size());
    std::string down;
    for (const auto& [link, mbps] : gpu.links) {
      if (mbps && speed.empty()) speed = *mbps;
      if (!mbps) down += (down.empty() ? "" : ", ") + ("{link: " + std::to_string(link)) + ", state: inactive}";
    }
    if (!down.empty())
      inactive += (inactive.empty() ? "" : ", ") + ("{index: " + std::to_string(index)) + ", links: [" + down + "]}";
  }
  if (most == 0) return;
  const Place place = tables.nvlinks.begin()->second.place;
  machine.host.try_emplace("nvlink.links_per_gpu", Value{std::to_string(most), place});
  if (!speed.empty()) machine.host.try_emplace("nvlink.bandwidth_per_link_mbps", Value{speed, place});
  if (!inactive.empty()) machine.host.try_emplace("nvlink.device_links", Value{"[" + inactive + "]", place});
}

}  // namespace

std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::optional<std::uint32_t> number_behind(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return {};
  return whole_number(trim(text.substr(prefix.size())));
}

std::size_t read_topology(const std::string& file, std::span<const Line> lines, Tables& tables) {
  const std::string header_text = plain(lines.front().text);
  const auto header = cells(header_text, '\t');
  if (header.size() < 2 || !header[0].empty() || header[1] != "GPU0") return 0;
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  const std::size_t cpu = column("CPU Affinity"), numa = column("NUMA Affinity");
  std::size_t used = 1;
  for (; used < lines.size(); ++used) {
    const auto row = cells(plain(lines[used].text), '\t');
    if (row.size() < 2 || row[0].empty()) break;
    const auto index = number_behind(row[0], "GPU");
    if (!index) continue;  // a network adapter
    TopologyRow out{{file, lines[used].number}, {}, {}, {}, {}};
    for (std::size_t i = 1; i < row.size() && i < header.size(); ++i)
      if (const auto other = number_behind(header[i], "GPU"); other && other != index) out.distances[*other] = row[i];
    if (cpu < row.size()) out.cpu_affinity = row[cpu];
    if (numa < row.size()) out.numa_affinity = row[numa];
    // nvidia-smi puts two tabs in front of this column.
    if (column("GPU NUMA ID") < header.size()) out.gpu_numa_id = row.back();
    tables.topology.try_emplace(*index, std::move(out));
  }
  return used;
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
  add_topology(tables, machine);
  add_nvlinks(tables, machine);
}

}  // namespace nvmlkit::smi_log
