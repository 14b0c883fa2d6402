// Reads the lines of one log by the table, and the fields that follow from several lines.
#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "sim/generated/model_descriptors.hpp"
#include "sim/model/pci_bus_id.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"
#include "sim/text/paths.hpp"
#include "smi_log/conclusions.hpp"
#include "smi_log/fields.hpp"
#include "smi_log/lists.hpp"
#include "smi_log/mig_devices.hpp"
#include "smi_log/values.hpp"

namespace nvmlkit::smi_log {
namespace {

using sim::model::StructDescriptor;

using Index = std::unordered_multimap<std::string_view, const Row*>;

Index index_of(std::span<const Row> rows, Format format) {
  Index index;
  for (const auto& row : rows)
    if (const auto path = format == Format::text ? row.text : row.xml; !path.empty()) index.emplace(path, &row);
  return index;
}

const Index& rows_of(bool gpu, Format format) {
  static const Index index[2][2] = {
      {index_of(host_rows(), Format::text), index_of(host_rows(), Format::xml)},
      {index_of(gpu_rows(), Format::text), index_of(gpu_rows(), Format::xml)},
  };
  return index[gpu ? 1 : 0][format == Format::xml ? 1 : 0];
}

class Walk {
 public:
  Walk(const Log& log, bool gpu, Values& values, Leftovers& leftovers)
      : log_(log),
        gpu_(gpu),
        rows_(rows_of(gpu, log.format)),
        type_(gpu ? sim::model::descriptor<sim::model::Gpu>() : sim::model::descriptor<sim::model::Machine>()),
        values_(values),
        leftovers_(leftovers) {}

  bool lost() const { return lost_; }

  void leaf(const std::string& path, const Node& node) {
    lost_ |= node.value == "GPU is lost";
    const auto [first, last] = rows_.equal_range(path);
    if (first == last) {
      if (!node.value.empty()) leftovers_.unknown.push_back(described(path, node));
      return;
    }
    for (auto row = first; row != last; ++row) take(*row->second, path, node);
  }

  void group(const std::string& path, const Node& node) {
    const std::string here = path.empty() ? node.name : path + "/" + node.name;
    if (gpu_ && read_list(log_, here, node, values_, leftovers_)) return;
    if (node.children.empty() || !node.value.empty()) leaf(here, node);
    for (const auto& child : node.children) group(here, child);
  }

 private:
  std::string described(const std::string& path, const Node& node) const {
    return place(node).text() + ": " + path + ": " + node.value;
  }
  Place place(const Node& node) const { return {log_.file, node.line}; }

  void take(const Row& row, const std::string& path, const Node& node) {
    if (row.unit == Unit::redundant || node.value.empty()) return;
    if (says_nothing(node.value) && !(row.unit == Unit::known_word && node.value == "Unknown")) return;
    const bool absent = says_absent(node.value);
    if (row.field.empty()) {
      if (!absent) leftovers_.not_kept.push_back(described(path, node));
      return;
    }
    const auto* found = sim::text::find_field(type_, row.field).field;
    if (found == nullptr) throw std::logic_error("no field " + std::string(row.field));
    const auto& field = *found;
    auto yaml = absent ? std::optional<std::string>("N/A") : read_value(node.value, row.unit, field);
    if (!yaml) {
      leftovers_.unreadable.push_back(place(node).text() + ": left out: '" + path + "' has a value of another form: '" +
                                      node.value + "'");
      return;
    }
    values_.try_emplace(std::string(row.field), Value{std::move(*yaml), place(node)});
  }

  const Log& log_;
  bool gpu_;  // or the host
  const Index& rows_;
  const StructDescriptor& type_;
  Values& values_;
  Leftovers& leftovers_;
  bool lost_ = false;
};

// Branch 610 renamed the version, and its XML has both names.
const std::set<std::string_view> kCudaVersion = {"CUDA Version", "cuda_version", "CUDA UMD Version",
                                                 "cuda_umd_version"};

void read_cuda_version(const Log& log, const Node& node, MachineValues& machine) {
  if (says_nothing(node.value) || says_absent(node.value)) return;
  std::string_view rest;
  const auto version = sim::text::version_before(node.value, rest);
  if (!version)
    return machine.leftovers.unreadable.push_back(Place{log.file, node.line}.text() +
                                                  ": left out: expected a CUDA version such as 12.4, got '" +
                                                  node.value + "'");
  auto& host = machine.host;
  const Place place{log.file, node.line};
  host.try_emplace("system.cuda_version_major", Value{std::to_string(version->major), place});
  host.try_emplace("system.cuda_version_minor", Value{std::to_string(version->minor), place});
}

// The GPU of a node, new to the machine or of an earlier log.
Expected<GpuValues*> gpu_at(MachineValues& machine, const Log& log, const Node& node, bool& fresh) {
  const auto id = sim::model::parse_pci_bus_id(node.value);
  if (!id) return refuse({log.file, node.line}, "expected the PCI address of a GPU, got " + sim::quote(node.value));
  char text[24];
  const std::string bus_id(sim::model::format_pci_bus_id(*id, 8, text));
  const auto known = std::find_if(machine.gpus.begin(), machine.gpus.end(),
                                  [&](const GpuValues& gpu) { return gpu.bus_id == bus_id; });
  fresh = known == machine.gpus.end();
  if (!fresh) return &*known;
  machine.gpus.push_back({bus_id, {log.file, node.line}, {}, {}, {}});
  machine.gpus.back().values.emplace("pci.bus_id", Value{quoted(bus_id), {log.file, node.line}});
  return &machine.gpus.back();
}

// `seen`: the addresses of the GPUs that the log showed so far.
Expected<void> add_gpu(const Log& log, const Node& node, MachineValues& machine, std::vector<std::string>& seen) {
  bool fresh = false;
  const auto found = gpu_at(machine, log, node, fresh);
  if (!found) return sim::fail(found.error());
  auto& gpu = **found;
  const Place place{log.file, node.line};
  if (std::find(seen.begin(), seen.end(), gpu.bus_id) != seen.end())
    return refuse(place, "the GPU " + gpu.bus_id + " comes twice in one log");
  seen.push_back(gpu.bus_id);
  // A second log of a GPU adds what the first did not show; its lines are not counted again.
  Leftovers ignored;
  Values values;
  Leftovers& leftovers = fresh ? machine.leftovers : ignored;
  Walk walk(log, true, values, leftovers);
  for (const auto& child : node.children) walk.group("", child);
  conclude(values, place, walk.lost());
  gpu.values.merge(values);
  auto devices = read_mig_devices(log, node, leftovers);
  if (!devices) return sim::fail(std::move(devices.error()));
  if (!gpu.mig_devices.empty() || devices->empty()) return {};
  gpu.mig_devices = std::move(*devices);
  gpu.process_mib = process_memory(log, node);
  return {};
}

}  // namespace

Expected<void> add_log(const Log& log, MachineValues& machine) {
  Walk host(log, false, machine.host, machine.leftovers);
  std::vector<std::string> seen;
  const Node* attached = nullptr;
  for (const auto& node : log.root.children) {
    if (node.name == "Attached GPUs" || node.name == "attached_gpus") attached = &node;
    if (kCudaVersion.contains(node.name)) {
      read_cuda_version(log, node, machine);
    } else if (node.name == "GPU" || node.name == "gpu") {
      if (auto added = add_gpu(log, node, machine, seen); !added) return added;
    } else {
      host.group("", node);
    }
  }
  if (attached != nullptr && !seen.empty() && attached->value != std::to_string(seen.size()))
    machine.notes.push_back(Place{log.file, attached->line}.text() + ": the log shows " + std::to_string(seen.size()) +
                            " of " + attached->value + " GPUs; the machine has those that it shows");
  return {};
}

}  // namespace nvmlkit::smi_log
