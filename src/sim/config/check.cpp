#include "sim/config/check.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "sim/links/layout.hpp"
#include "sim/mig/instances.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/scalar.hpp"
#include "sim/vgpu/instances.hpp"

namespace nvmlkit::sim::config {
namespace {

using Keys = std::initializer_list<std::string_view>;

Node item_of(const Node& list, std::uint32_t wanted) {
  Node found;
  std::uint32_t i = 0;
  if (list && list.kind() == Kind::sequence)
    list.items([&](const Node& item) {
      if (i++ == wanted) found = item;
    });
  return found;
}

std::string path_of(Keys keys) {
  std::string out;
  for (const auto key : keys) out.append(out.empty() ? "" : ".").append(key);
  return out;
}

// The node that a problem of a list is about, as far as the file says it.
Node node_of(Node list, const Problem& problem) {
  Node at = problem.part.empty() ? list : Node();
  for (const auto& [item, key] : problem.part) {
    const Node found = item_of(list, item);
    if (!found) break;
    at = found;
    list = key.empty() ? Node() : found.find(key);
  }
  return at;
}

// Whose a value of a GPU is, and where it stands.
detail::unexpected<Problem> fail_of_gpu(const Layers& layers, std::uint32_t gpu, Keys keys, Problem problem) {
  bool own = true;
  const Node list = layers.stated_at(gpu, keys, &own);
  const Node at = node_of(list, problem);
  problem.owner = {own ? Owner::Kind::gpu : Owner::Kind::all_gpus, gpu, 0};
  problem.place = (at ? at : layers.all().back().root).place();
  return fail(std::move(problem));
}

struct Identity {
  std::string text;
  std::uint32_t gpu;
};

Expected<void> refuse_duplicates(const Layers& layers, std::vector<Identity>& all, Keys keys, const char* what) {
  std::stable_sort(all.begin(), all.end(), [](const Identity& a, const Identity& b) { return a.text < b.text; });
  const Identity* worst = nullptr;
  const Identity* first = nullptr;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].text == all[i - 1].text && (worst == nullptr || all[i].gpu < worst->gpu)) {
      worst = &all[i];
      first = &all[i - 1];
    }
  if (worst == nullptr) return {};
  const Node second_at = layers.stated_at(worst->gpu, keys), first_at = layers.stated_at(first->gpu, keys);
  std::string hint = "GPU " + std::to_string(first->gpu) + " has it";
  if (first_at) hint += " from line " + std::to_string(first_at.line());
  if (first_at && second_at && first_at.file() != second_at.file()) hint += " of " + first_at.file();
  Problem problem{
      .kind = ProblemKind::duplicate,
      .what = std::string("duplicate ") + what + " " + quote(worst->text) + " of GPU " + std::to_string(worst->gpu),
      .hint = std::move(hint),
      .owner = {Owner::Kind::gpu, worst->gpu, 0},
      .field = path_of(keys),
      .naming = Naming::no};
  return fail(std::move(problem).at((second_at ? second_at : layers.all().back().root).place()));
}

Expected<void> check_identity(const Layers& layers, const Machine& machine) {
  std::vector<Identity> uuids, addresses;
  std::uint32_t index = 0;
  for (const auto& gpu : machine.gpus()) {
    char text[24];
    if (gpu.uuid) uuids.push_back({std::string(gpu.uuid->view()), index});
    if (gpu.pci.bus_id) addresses.push_back({std::string(model::format_pci_bus_id(*gpu.pci.bus_id, 4, text)), index});
    ++index;
  }
  if (auto good = refuse_duplicates(layers, uuids, {"uuid"}, "uuid"); !good) return good;
  return refuse_duplicates(layers, addresses, {"pci", "bus_id"}, "PCI address");
}

// What contradicts the rest of the GPU: calls `wrong(keys, problem)` for each.
template <class Wrong>
void find_contradictions(const model::Gpu& gpu, Wrong wrong) {
  const auto limit = [&](bool broken, const auto& value, const char* how, std::uint64_t bound, Keys keys,
                         const char* which) {
    if (broken) wrong(keys, contradiction(how + std::to_string(bound) + " (" + which + ")", std::to_string(value)));
  };
  const auto at_most = [&](const auto& field, std::uint64_t highest, Keys keys, const char* which) {
    limit(field && std::uint64_t{*field} > highest, *field, "at most ", highest, keys, which);
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
    limit(field && lowest && *field < *lowest, *field, "at least ", *lowest, keys, "min_limit_mw");
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

Expected<void> check_vgpus(const Layers& layers, const Machine& machine) {
  auto good = vgpu::check(machine);
  if (good) return good;
  const auto gpu = good.error().owner.gpu;
  return fail_of_gpu(layers, gpu, {"vgpu", "instances"}, std::move(good.error()));
}

Expected<void> check_gpu(const Layers& layers, std::uint32_t index, const model::Gpu& gpu) {
  if (auto good = mig::check(gpu); !good) {
    const bool profiles = good.error().field == "mig.profiles";
    return fail_of_gpu(layers, index, {"mig", profiles ? "profiles" : "instances"}, std::move(good.error()));
  }
  Expected<void> first;
  find_contradictions(gpu, [&](Keys keys, Problem problem) {
    if (first) first = fail_of_gpu(layers, index, keys, std::move(problem).of_field(path_of(keys)));
  });
  return first;
}

Expected<void> check_system(const Layers& layers, const model::System& system) {
  if (!system.cuda_version || !system.cuda_version.stated || !system.cuda_version_major || !system.cuda_version_minor)
    return {};
  const std::string expected =
      std::to_string(*system.cuda_version_major) + "." + std::to_string(*system.cuda_version_minor);
  if (system.cuda_version->view() == expected) return {};
  for (auto layer = layers.all().rbegin(); layer != layers.all().rend(); ++layer)
    if (const Node section = layer->root.find("system"))
      if (const Node node = section.find("cuda_version"))
        return fail(contradiction(quote(expected) + " (cuda_version_major and cuda_version_minor)",
                                  quote(system.cuda_version->view()))
                        .of_field("system.cuda_version")
                        .at(node.place()));
  return {};
}

// CPUs and ranges of them, as 0-15,32-47.
bool is_cpu_list(std::string_view text) {
  while (true) {
    const auto comma = text.find(',');
    const auto range = text.substr(0, comma);
    const auto dash = range.find('-');
    const auto first = text::parse_integer(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : text::parse_integer(range.substr(dash + 1));
    if (!first || !last || first->negative || last->negative || last->magnitude < first->magnitude) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

// A GPU stands under one root complex. `lines`: where the addresses stand that were seen.
Expected<void> check_complex(const Node& complex, std::map<std::uint64_t, std::uint32_t>& lines) {
  constexpr std::string_view kTopology = "pcie_topology";
  if (const Node cpus = complex.find("cpu_affinity"); cpus && !is_cpu_list(cpus.text()))
    return fail(wrong_value("CPUs as 0-15,32-47", quote(cpus.text())).of_field(kTopology).at(cpus.place()));
  const Node devices = complex.find("devices");
  if (!devices || devices.kind() != Kind::sequence) return {};
  return devices.items([&](const Node& device) -> Expected<void> {
    const auto id = model::parse_pci_bus_id(device.text());
    if (!id) return {};
    const std::uint64_t key = (std::uint64_t{id->domain} << 32) | (id->bus << 16) | (id->device << 8) | id->function;
    const auto [it, fresh] = lines.emplace(key, device.line());
    if (fresh) return {};
    return fail(Problem{.kind = ProblemKind::duplicate,
                        .what = quote(device.text()) + " is under two root complexes",
                        .hint = "the first is at line " + std::to_string(it->second),
                        .field = std::string(kTopology),
                        .place = device.place()});
  });
}

Expected<void> check_topology(const Layers& layers) {
  for (const auto& layer : layers.all()) {
    const Node topology = layer.root.find("pcie_topology");
    const Node complexes = topology ? topology.find("root_complexes") : Node();
    if (!complexes || complexes.kind() != Kind::sequence) continue;
    std::map<std::uint64_t, std::uint32_t> lines;
    if (auto good = complexes.items([&](const Node& complex) { return check_complex(complex, lines); }); !good)
      return good;
  }
  return {};
}

Expected<void> check_nvlink(const Layers& layers, const Machine& machine) {
  auto good = links::check(machine);
  if (good) return good;
  Problem problem = std::move(good.error());
  Node at = layers.all().back().root;
  for (auto layer = layers.all().rbegin(); layer != layers.all().rend(); ++layer)
    if (const Node nvlink = layer->root.find("nvlink"))
      if (const Node found = node_of(nvlink.find("connections"), problem)) {
        at = found;
        break;
      }
  return fail(std::move(problem).at(at.place()));
}

}  // namespace

Expected<void> check_machine(const Layers& layers, const Machine& machine) {
  if (auto good = check_system(layers, machine.system()); !good) return good;
  if (auto good = check_identity(layers, machine); !good) return good;
  if (auto good = check_topology(layers); !good) return good;
  if (auto good = check_nvlink(layers, machine); !good) return good;
  if (auto good = check_equipment(layers, machine); !good) return good;
  std::uint32_t index = 0;
  for (const auto& gpu : machine.gpus())
    if (auto good = check_gpu(layers, index++, gpu); !good) return good;
  return check_vgpus(layers, machine);
}

Expected<void> check_values(const model::Gpu& gpu) {
  Expected<void> first;
  find_contradictions(gpu, [&](Keys keys, Problem problem) {
    if (first) first = fail(std::move(problem).of_field(path_of(keys)));
  });
  return first;
}

}  // namespace nvmlkit::sim::config
