#include "sim/config/check.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "sim/config/scalar.hpp"
#include "sim/config/suggest.hpp"
#include "sim/links/layout.hpp"
#include "sim/mig/instances.hpp"
#include "sim/vgpu/instances.hpp"

namespace nvmlkit::sim::config {
namespace {

using Keys = std::initializer_list<std::string_view>;

std::string gpu_path(std::uint32_t index, Keys keys, bool own) {
  std::string out = own ? "GPU " + std::to_string(index) : std::string("device_defaults");
  bool first = own;
  for (const auto key : keys) {
    out += first ? ": " : ".";
    out += key;
    first = false;
  }
  return out;
}

[[noreturn]] void fail_at(const Layers& layers, std::uint32_t gpu, Keys keys, const std::string& message) {
  bool own = true;
  const Node node = layers.stated_at(gpu, keys, &own);
  const std::string text = gpu_path(gpu, keys, own) + ": " + message;
  if (node) node.fail(text);
  layers.all().back().root.fail(text);
}

struct Identity {
  std::string text;
  std::uint32_t gpu;
};

void refuse_duplicates(const Layers& layers, std::vector<Identity>& all, Keys keys, const char* what) {
  std::stable_sort(all.begin(), all.end(), [](const Identity& a, const Identity& b) { return a.text < b.text; });
  const Identity* worst = nullptr;
  const Identity* first = nullptr;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].text == all[i - 1].text && (worst == nullptr || all[i].gpu < worst->gpu)) {
      worst = &all[i];
      first = &all[i - 1];
    }
  if (worst == nullptr) return;
  const Node second_at = layers.stated_at(worst->gpu, keys), first_at = layers.stated_at(first->gpu, keys);
  std::string message = std::string("duplicate ") + what + " " + quote(worst->text) + " of GPU " +
                        std::to_string(worst->gpu) + "; GPU " + std::to_string(first->gpu) + " has it";
  if (first_at) message += " from line " + std::to_string(first_at.line());
  if (first_at && second_at && first_at.file() != second_at.file()) message += " of " + first_at.file();
  (second_at ? second_at : layers.all().back().root).fail(std::move(message));
}

void check_identity(const Layers& layers, const Machine& machine) {
  std::vector<Identity> uuids, addresses;
  std::uint32_t index = 0;
  for (const auto& gpu : machine.gpus()) {
    char text[24];
    if (gpu.uuid) uuids.push_back({std::string(gpu.uuid->view()), index});
    if (gpu.pci.bus_id) addresses.push_back({std::string(model::format_pci_bus_id(*gpu.pci.bus_id, 4, text)), index});
    ++index;
  }
  refuse_duplicates(layers, uuids, {"uuid"}, "uuid");
  refuse_duplicates(layers, addresses, {"pci", "bus_id"}, "PCI address");
}

// Calls `fail(keys, message)` for what contradicts the rest of the GPU.
template <class Fail>
void check_values(const model::Gpu& gpu, Fail fail) {
  const auto at_most = [&](const auto& field, std::uint64_t highest, Keys keys, const char* which) {
    if (field && std::uint64_t{*field} > highest)
      fail(keys, std::string("expected at most ") + std::to_string(highest) + " (" + which + "), got " +
                     std::to_string(*field));
  };
  const auto& memory = gpu.memory;
  if (memory.total_bytes) {
    at_most(memory.reserved_bytes, *memory.total_bytes, {"memory", "reserved_bytes"}, "total_bytes");
    at_most(memory.used_bytes, *memory.total_bytes - memory.reserved_bytes.value_or(0), {"memory", "used_bytes"},
            "total_bytes less reserved_bytes");
    at_most(memory.free_bytes, *memory.total_bytes, {"memory", "free_bytes"}, "total_bytes");
  }
  if (gpu.bar1_memory.total_bytes)
    at_most(gpu.bar1_memory.used_bytes, *gpu.bar1_memory.total_bytes, {"bar1_memory", "used_bytes"}, "total_bytes");
  const auto at_least = [&](const auto& field, const auto& lowest, Keys keys) {
    if (field && lowest && *field < *lowest)
      fail(keys, "expected at least " + std::to_string(*lowest) + " (min_limit_mw), got " + std::to_string(*field));
  };
  const auto& power = gpu.power;
  if (power.max_limit_mw) {
    at_most(power.min_limit_mw, *power.max_limit_mw, {"power", "min_limit_mw"}, "max_limit_mw");
    at_most(power.default_limit_mw, *power.max_limit_mw, {"power", "default_limit_mw"}, "max_limit_mw");
    at_most(power.limit_mw, *power.max_limit_mw, {"power", "limit_mw"}, "max_limit_mw");
  }
  at_least(power.default_limit_mw, power.min_limit_mw, {"power", "default_limit_mw"});
  at_least(power.limit_mw, power.min_limit_mw, {"power", "limit_mw"});
}

Node item_of(const Node& list, std::uint32_t wanted) {
  Node found;
  std::uint32_t i = 0;
  if (list && list.kind() == Kind::sequence)
    list.items([&](const Node& item) {
      if (i++ == wanted) found = item;
    });
  return found;
}

void check_mig(const Layers& layers, std::uint32_t index, const model::Gpu& gpu) {
  const auto problem = mig::problem_of(gpu);
  if (!problem) return;
  bool own = true;
  const Node list = layers.stated_at(index, {"mig", problem->list}, &own);
  Node at = item_of(list, problem->item);
  std::string path = gpu_path(index, {"mig", problem->list}, own) + "[" + std::to_string(problem->item) + "]";
  if (problem->compute) {
    path += ".compute_instances[" + std::to_string(*problem->compute) + "]";
    if (at)
      if (const Node inner = item_of(at.find("compute_instances"), *problem->compute)) at = inner;
  }
  (at ? at : layers.all().back().root).fail(path + ": " + problem->message);
}

void check_vgpus(const Layers& layers, const Machine& machine) {
  const auto problem = vgpu::problem_of(machine);
  if (!problem) return;
  bool own = true;
  const Node list = layers.stated_at(problem->gpu, {"vgpu", "instances"}, &own);
  const Node at = item_of(list, problem->item);
  const std::string path =
      gpu_path(problem->gpu, {"vgpu", "instances"}, own) + "[" + std::to_string(problem->item) + "]";
  (at ? at : layers.all().back().root).fail(path + ": " + problem->message);
}

void check_gpu(const Layers& layers, std::uint32_t index, const model::Gpu& gpu) {
  check_mig(layers, index, gpu);
  check_values(gpu, [&](Keys keys, const std::string& message) { fail_at(layers, index, keys, message); });
}

void check_system(const Layers& layers, const model::System& system) {
  if (!system.cuda_version || !system.cuda_version.stated || !system.cuda_version_major || !system.cuda_version_minor)
    return;
  const std::string expected =
      std::to_string(*system.cuda_version_major) + "." + std::to_string(*system.cuda_version_minor);
  if (system.cuda_version->view() == expected) return;
  for (auto layer = layers.all().rbegin(); layer != layers.all().rend(); ++layer)
    if (const Node section = layer->root.find("system"))
      if (const Node node = section.find("cuda_version"))
        node.fail("system.cuda_version: expected " + quote(expected) +
                  " (cuda_version_major and cuda_version_minor), got " + quote(system.cuda_version->view()));
}

// CPUs and ranges of them, as 0-15,32-47.
bool is_cpu_list(std::string_view text) {
  while (true) {
    const auto comma = text.find(',');
    const auto range = text.substr(0, comma);
    const auto dash = range.find('-');
    const auto first = parse_integer(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_integer(range.substr(dash + 1));
    if (!first || !last || first->negative || last->negative || last->magnitude < first->magnitude) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

void check_topology(const Layers& layers) {
  for (const auto& layer : layers.all()) {
    const Node topology = layer.root.find("pcie_topology");
    const Node complexes = topology ? topology.find("root_complexes") : Node();
    if (!complexes || complexes.kind() != Kind::sequence) continue;
    std::map<std::uint64_t, std::uint32_t> lines;
    complexes.items([&](const Node& complex) {
      if (const Node cpus = complex.find("cpu_affinity"); cpus && !is_cpu_list(cpus.text()))
        cpus.fail("pcie_topology: expected CPUs as 0-15,32-47, got " + quote(cpus.text()));
      const Node devices = complex.find("devices");
      if (!devices || devices.kind() != Kind::sequence) return;
      devices.items([&](const Node& device) {
        const auto id = model::parse_pci_bus_id(device.text());
        if (!id) return;
        const std::uint64_t key =
            (std::uint64_t{id->domain} << 32) | (id->bus << 16) | (id->device << 8) | id->function;
        if (const auto [it, fresh] = lines.emplace(key, device.line()); !fresh)
          device.fail("pcie_topology: " + quote(device.text()) + " is under two root complexes; the first is at line " +
                      std::to_string(it->second));
      });
    });
  }
}

void check_nvlink(const Layers& layers, const Machine& machine) {
  const auto problem = links::problem_of(machine);
  if (!problem) return;
  const auto path = "nvlink.connections[" + std::to_string(problem->connection) + "]: ";
  for (auto layer = layers.all().rbegin(); layer != layers.all().rend(); ++layer)
    if (const Node nvlink = layer->root.find("nvlink"))
      if (const Node at = item_of(nvlink.find("connections"), static_cast<std::uint32_t>(problem->connection)))
        at.fail(path + problem->message);
  layers.all().back().root.fail(path + problem->message);
}

}  // namespace

void check_machine(const Layers& layers, const Machine& machine) {
  check_system(layers, machine.system());
  check_identity(layers, machine);
  check_topology(layers);
  check_nvlink(layers, machine);
  check_equipment(layers, machine);
  std::uint32_t index = 0;
  for (const auto& gpu : machine.gpus()) check_gpu(layers, index++, gpu);
  check_vgpus(layers, machine);
}

std::string contradiction(const model::Gpu& gpu) {
  std::string first;
  check_values(gpu, [&](Keys keys, const std::string& message) {
    if (!first.empty()) return;
    for (const auto& key : keys) first.append(first.empty() ? "" : ".").append(key);
    first.append(": ").append(message);
  });
  return first;
}

}  // namespace nvmlkit::sim::config
