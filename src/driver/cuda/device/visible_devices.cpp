#include "driver/cuda/device/visible_devices.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "sim/mig/device_nodes.hpp"
#include "sim/state/attention.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::cuda {
namespace {

std::uint64_t speed(const sim::model::Gpu& gpu) {
  return std::uint64_t{gpu.num_gpu_cores.value_or(0)} * gpu.clocks.sm_max.value_or(1);
}

// What a process could be given: the GPUs in CUDA's order, and the MIG devices of them, whose device nodes it has.
struct Supply {
  const sim::Machine& machine;
  std::string nodes;  // folder, or empty: it has them all
  std::vector<std::size_t> gpus;

  std::optional<sim::mig::DeviceId> first_mig_device(const sim::model::Gpu& gpu) const {
    for (std::uint32_t k = 0; const auto device = sim::mig::device_at(gpu, k); ++k)
      if (has(gpu, device->id())) return device->id();
    return std::nullopt;
  }
  bool has(const sim::model::Gpu& gpu, sim::mig::DeviceId id) const {
    return sim::device_nodes::has_mig_device(nodes.c_str(), gpu.minor_number.value_or(0), id);
  }
};

// A GPU that is being drained takes no new process. NVML hides it, too.
bool is_draining(const sim::Machine& machine, const sim::model::Gpu& gpu) {
  bool draining = false;
  sim::state::consistently(machine, machine.sequence(gpu), [&] { draining = gpu.faults.draining != 0; });
  return draining;
}

Supply supply_of(const sim::Machine& machine, const sim::Environment& environment) {
  const auto gpus = machine.gpus();
  Supply supply{machine, environment.get(sim::device_nodes::kVariable).value_or(""), {}};
  auto& order = supply.gpus;
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (sim::state::is_visible(machine, i) && !is_draining(machine, gpus[i]) &&
        sim::device_nodes::has_gpu(supply.nodes.c_str(), gpus[i].minor_number.value_or(static_cast<std::uint32_t>(i))))
      order.push_back(i);
  const auto address = [&](std::size_t i) {
    const auto& id = gpus[i].pci.bus_id.value;
    return std::tuple(id.domain, id.bus, id.device);
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return address(a) < address(b); });
  if (environment.get("CUDA_DEVICE_ORDER") != "PCI_BUS_ID")
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return speed(gpus[a]) > speed(gpus[b]); });
  return supply;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// The MIG device whose UUID begins so, if there is one and no other.
std::optional<Visible> mig_device_of(std::string_view entry, const Supply& supply) {
  std::optional<Visible> found;
  for (const auto index : supply.gpus) {
    const auto& gpu = supply.machine.gpus()[index];
    for (std::uint32_t k = 0; const auto device = sim::mig::device_at(gpu, k); ++k) {
      if (!supply.has(gpu, device->id()) || !sim::mig::uuid_of(gpu, device->id()).view().starts_with(entry)) continue;
      if (found) return std::nullopt;
      found = Visible{index, device->id()};
    }
  }
  return found;
}

// What a GPU stands for: itself, or its first MIG device. Nothing where it is in MIG mode and has none.
std::optional<Visible> as_device(const Supply& supply, std::size_t index) {
  const auto& gpu = supply.machine.gpus()[index];
  if (!sim::mig::enabled(gpu)) return Visible{index, std::nullopt};
  const auto first = supply.first_mig_device(gpu);
  if (!first) return std::nullopt;
  return Visible{index, *first};
}

// What an entry means; what follows a number does not count.
std::optional<Visible> device_of(std::string_view entry, const Supply& supply) {
  if (entry.starts_with("MIG-")) return mig_device_of(entry, supply);
  if (entry.starts_with("GPU-")) {
    std::optional<std::size_t> found;
    for (const auto index : supply.gpus) {
      if (!supply.machine.gpus()[index].uuid->view().starts_with(entry)) continue;
      if (found) return std::nullopt;
      found = index;
    }
    return found ? as_device(supply, *found) : std::nullopt;
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
  if (error != std::errc{} || number >= supply.gpus.size()) return std::nullopt;
  return as_device(supply, supply.gpus[number]);
}

bool is_same(const Visible& a, const Visible& b) {
  if (a.gpu != b.gpu || a.mig.has_value() != b.mig.has_value()) return false;
  return !a.mig || (a.mig->instance == b.mig->instance && a.mig->compute == b.mig->compute);
}

std::vector<Visible> without_list(const Supply& supply) {
  std::vector<Visible> whole, parts;
  for (const auto index : supply.gpus)
    if (const auto device = as_device(supply, index)) (device->mig ? parts : whole).push_back(*device);
  if (whole.empty() && !parts.empty()) whole.push_back(parts.front());
  return whole;
}

}  // namespace

std::vector<Visible> visible_devices(const sim::Machine& machine, const sim::Environment& environment) {
  const auto supply = supply_of(machine, environment);
  const auto list = environment.get_even_if_empty("CUDA_VISIBLE_DEVICES");
  if (!list) return without_list(supply);
  std::vector<Visible> visible;
  for (std::string_view rest = *list; !rest.empty();) {
    const auto comma = rest.find(',');
    const auto device = device_of(trimmed(rest.substr(0, comma)), supply);
    if (!device) break;
    if (std::any_of(visible.begin(), visible.end(), [&](const auto& other) { return is_same(other, *device); }))
      return {};
    visible.push_back(*device);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  if (!visible.empty() && visible.front().mig)
    visible.resize(1);
  else
    std::erase_if(visible, [](const auto& device) { return device.mig.has_value(); });
  return visible;
}

}  // namespace nvmlkit::cuda
