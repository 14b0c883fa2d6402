#include "smi_log/lists.hpp"

#include "sim/generated/model_descriptors.hpp"
#include "sim/text/flow.hpp"
#include "sim/text/numbers.hpp"
#include "smi_log/units.hpp"

namespace nvmlkit::smi_log {
namespace {

using sim::text::FlowList;
using sim::text::FlowMap;

class Lists {
 public:
  Lists(const Log& log, Values& values, Leftovers& leftovers) : log_(log), values_(values), leftovers_(leftovers) {}

  void processes(const Node& node) {
    const auto most = sim::model::descriptor<sim::model::Gpu>().find("processes")->max_items;
    FlowList list;
    std::size_t count = 0;
    for (const auto& process : processes_of(log_, node)) {
      if (++count > most) {
        leftovers_.not_kept.push_back(place(*process.pid).text() + ": more than " + std::to_string(most) +
                                      " processes");
        continue;
      }
      const auto pid = number(*process.pid);
      if (pid) list.add(entry(process, *pid));
    }
    values_.try_emplace("processes", Value{list.yaml(), place(node)});
  }

  void clocks(const Node& node) {
    FlowList list;
    bool whole = true;
    for (const auto& child : node.children) {
      // Text: "Memory : 5001 MHz" with "Graphics" below; XML: <supported_mem_clock> with <value> in front.
      const auto* inner = child.find("value");
      const Node& memory = inner != nullptr ? *inner : child;
      if (memory.value.empty() || says_absent(memory.value) || says_nothing(memory.value)) continue;
      const auto memory_mhz = number(memory);
      if (!memory_mhz) continue;
      FlowList graphics;
      for (const auto& clock : child.children) {
        if (clock.name == "value") continue;
        // nvidia-smi has room for fewer clocks than some GPUs have, and prints an error in their place.
        whole = whole && !says_nothing(clock.value);
        if (says_nothing(clock.value)) continue;
        if (const auto mhz = number(clock)) graphics.add(*mhz);
      }
      FlowMap clocks;
      clocks.add("freq_mhz", *memory_mhz);
      clocks.add("graphics_clocks", graphics.yaml());
      list.add(clocks.yaml());
    }
    if (!list.empty() || says_absent(node.value))
      values_.try_emplace("supported_clocks.memory_clocks", Value{list.yaml(), place(node), !whole});
  }

  void pages(const Node& node, const std::string& cause) {
    const auto& pages = sim::model::descriptor<sim::model::PageRetirement>();
    const auto most = pages.find("addresses")->max_items;
    FlowList list;
    std::size_t count = 0;
    for (const auto& page : node.children) {
      const auto* address = page.find("retired_page_address");
      if (const auto text = address != nullptr ? hex(*address) : std::nullopt)
        if (++count <= most) list.add(*text);
      if (const auto* time = page.find("retired_page_timestamp"))
        leftovers_.not_kept.push_back(place(*time).text() + ": when a page was retired: " + time->value);
    }
    if (count > most)
      leftovers_.not_kept.push_back(place(node).text() + ": addresses of retired pages behind the first " +
                                    std::to_string(most));
    if (!list.empty()) values_.try_emplace("retired_pages." + cause + ".addresses", Value{list.yaml(), place(node)});
  }

  void bridge(const Node& node) {
    const bool text = log_.format == Format::text;
    const auto* type = node.find(text ? "Type" : "bridge_chip_type");
    const auto* firmware = node.find(text ? "Firmware" : "bridge_chip_fw");
    if (type == nullptr || says_absent(type->value) || says_nothing(type->value)) return;
    const auto& chip = *sim::model::descriptor<sim::model::BridgeChip>().find("type");
    const auto word = read_value(type->value, Unit::word, chip);
    const auto version = firmware == nullptr ? std::nullopt : read_value(firmware->value, Unit::hex, {});
    if (!word) return unreadable(*type, "PLX or BRO4");
    FlowMap item;
    item.add("type", *word);
    if (version) item.add("firmware_version", *version);
    const auto [at, fresh] = values_.try_emplace("bridge_chips", Value{"[" + item.yaml() + "]", place(node)});
    if (!fresh) at->second.yaml.insert(at->second.yaml.size() - 1, ", " + item.yaml());
  }

  // XML: <clique_entry> with <clique_type> and <clique_id>; text: the same names in words.
  void cliques(const Node& node) {
    const auto& type_of = *sim::model::descriptor<sim::model::FabricClique>().find("type");
    FlowList list;
    for (const auto& entry : node.children) {
      if (entry.children.size() != 2) continue;
      const Node &type = entry.children[0], &id = entry.children[1];
      const auto word = read_value(type.value, Unit::word, type_of);
      if (!word) {
        unreadable(type, "a kind of clique");
        continue;
      }
      const auto count = number(id);
      if (!count) continue;
      FlowMap clique;
      clique.add("type", *word);
      clique.add("id", *count);
      list.add(clique.yaml());
    }
    if (!list.empty()) values_.try_emplace("fabric.cliques", Value{list.yaml(), place(node)});
  }

  void skip(const Node& node, const char* what) { leftovers_.not_kept.push_back(place(node).text() + ": " + what); }

 private:
  Place place(const Node& node) const { return {log_.file, node.line}; }

  std::optional<std::string> number(const Node& node) const {
    const auto end = node.value.find_first_not_of("0123456789");
    const auto unit = end == std::string::npos ? std::string_view() : trim(std::string_view(node.value).substr(end));
    if (end != 0 && !node.value.empty() && (unit.empty() || unit == "MHz" || unit == "MiB"))
      return node.value.substr(0, end);
    unreadable(node, "a number");
    return {};
  }

  std::optional<std::string> hex(const Node& node) const {
    if (node.value.starts_with("0x") && node.value.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string::npos)
      return node.value;
    unreadable(node, "an address such as 0x373cd1");
    return {};
  }

  void unreadable(const Node& node, const char* expected) const {
    leftovers_.unreadable.push_back(place(node).text() + ": left out: '" + node.name + "' expected " + expected +
                                    ", got '" + node.value + "'");
  }

  // As much of a name as the model has room for, in whole characters.
  std::string_view name_of(const Node& node) const {
    const auto most = sim::model::descriptor<sim::model::Process>().find("name")->capacity - 1;
    const std::string_view name(node.value);
    if (name.size() <= most) return name;
    auto end = static_cast<std::size_t>(most);
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
    leftovers_.unreadable.push_back(place(node).text() + ": shortened: the name of a process has " +
                                    std::to_string(name.size()) + " bytes, the machine keeps the first " +
                                    std::to_string(end));
    return name.substr(0, end);
  }

  std::string entry(const ProcessNodes& process, const std::string& pid) const {
    FlowMap out;
    out.add("pid", pid);
    if (process.type != nullptr) out.add("type", quoted(process.type->value));
    if (process.name != nullptr) out.add("name", quoted(name_of(*process.name)));
    if (process.used != nullptr && !says_absent(process.used->value) && !says_nothing(process.used->value))
      if (const auto mib = number(*process.used)) out.add("used_memory_mib", *mib);
    if (process.gpu_instance) out.add("gpu_instance", *process.gpu_instance);
    if (process.compute_instance.value_or(0) != 0) out.add("compute_instance", *process.compute_instance);
    return out.yaml();
  }

  const Log& log_;
  Values& values_;
  Leftovers& leftovers_;
};

std::optional<std::uint32_t> instance_in(const Node* node) {
  const auto value = node == nullptr ? std::nullopt : read_value(node->value, Unit::number, {});
  const auto id = value ? sim::text::number_of<std::uint32_t>(*value) : std::nullopt;
  return id && *id != UINT32_MAX ? id : std::nullopt;
}

}  // namespace

std::vector<ProcessNodes> processes_of(const Log& log, const Node& list) {
  const bool text = log.format == Format::text;
  std::vector<ProcessNodes> out;
  const Node *gpu_instance = nullptr, *compute_instance = nullptr;
  for (const auto& child : list.children) {
    // The text prints the instances before the process.
    if (text && child.name == "GPU instance ID") gpu_instance = &child;
    if (text && child.name == "Compute instance ID") compute_instance = &child;
    const Node* pid = text ? &child : child.find("pid");
    if (pid == nullptr || child.name != (text ? "Process ID" : "process_info")) continue;
    if (!text) gpu_instance = child.find("gpu_instance_id"), compute_instance = child.find("compute_instance_id");
    out.push_back({pid, child.find(text ? "Type" : "type"), child.find(text ? "Name" : "process_name"),
                   child.find(text ? "Used GPU Memory" : "used_memory"), instance_in(gpu_instance),
                   instance_in(compute_instance)});
  }
  return out;
}

bool read_list(const Log& log, std::string_view path, const Node& node, Values& values, Leftovers& leftovers) {
  Lists lists(log, values, leftovers);
  if (path == "Processes" || path == "processes") {
    if (!says_nothing(node.value) && !says_absent(node.value)) lists.processes(node);
  } else if (path == "Supported Clocks" || path == "supported_clocks") {
    lists.clocks(node);
  } else if (path == "retired_pages/multiple_single_bit_retirement/retired_pagelist") {
    lists.pages(node, "single_bit_retirement");
  } else if (path == "retired_pages/double_bit_retirement/retired_pagelist") {
    lists.pages(node, "double_bit_retirement");
  } else if (path == "PCI/Bridge Chip" || path == "pci/pci_bridge_chip") {
    lists.bridge(node);
  } else if (path == "Fabric/Cliques" || path == "fabric/cliques") {
    lists.cliques(node);
  } else if (path == "MIG Device" || path == "mig_devices") {
    return true;  // read_mig_devices()
  } else if (path == "Accounted Processes" || path == "accounted_processes") {
    if (!node.children.empty()) lists.skip(node, "accounted processes");
  } else {
    return false;
  }
  return true;
}

}  // namespace nvmlkit::smi_log
