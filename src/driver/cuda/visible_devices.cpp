#include "driver/cuda/visible_devices.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <tuple>

#include "sim/faults/attention.hpp"

namespace nvmlkit::cuda {
namespace {

std::uint64_t speed(const sim::model::Gpu& gpu) {
  return std::uint64_t{gpu.num_gpu_cores.value_or(0)} * gpu.clocks.sm_max.value_or(1);
}

std::vector<std::size_t> ordered(const sim::Machine& machine, const sim::Environment& environment) {
  const auto gpus = machine.gpus();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (sim::faults::is_visible(machine, i)) order.push_back(i);
  const auto address = [&](std::size_t i) {
    const auto& id = gpus[i].pci.bus_id.value;
    return std::tuple(id.domain, id.bus, id.device);
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return address(a) < address(b); });
  if (environment.get("CUDA_DEVICE_ORDER") != "PCI_BUS_ID")
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return speed(gpus[a]) > speed(gpus[b]); });
  return order;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// The MIG device whose UUID begins so, if there is one and no other.
std::optional<Visible> mig_device_of(std::string_view entry, const sim::Machine& machine,
                                     const std::vector<std::size_t>& order) {
  std::optional<Visible> found;
  for (const auto index : order) {
    const auto& gpu = machine.gpus()[index];
    for (std::uint32_t k = 0; const auto device = sim::mig::device_at(gpu, k); ++k) {
      if (!sim::mig::uuid_of(gpu, device->id()).view().starts_with(entry)) continue;
      if (found) return std::nullopt;
      found = Visible{index, device->id()};
    }
  }
  return found;
}

// What a GPU stands for: itself, or its first MIG device. Nothing where it is in MIG mode and has none.
std::optional<Visible> as_device(const sim::Machine& machine, std::size_t index) {
  const auto& gpu = machine.gpus()[index];
  if (!sim::mig::enabled(gpu)) return Visible{index, std::nullopt};
  const auto first = sim::mig::device_at(gpu, 0);
  if (!first) return std::nullopt;
  return Visible{index, first->id()};
}

// What an entry means; what follows a number does not count.
std::optional<Visible> device_of(std::string_view entry, const sim::Machine& machine,
                                 const std::vector<std::size_t>& order) {
  if (entry.starts_with("MIG-")) return mig_device_of(entry, machine, order);
  if (entry.starts_with("GPU-")) {
    std::optional<std::size_t> found;
    for (const auto index : order) {
      if (!machine.gpus()[index].uuid->view().starts_with(entry)) continue;
      if (found) return std::nullopt;
      found = index;
    }
    return found ? as_device(machine, *found) : std::nullopt;
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
  if (error != std::errc{} || number >= order.size()) return std::nullopt;
  return as_device(machine, order[number]);
}

bool is_same(const Visible& a, const Visible& b) {
  if (a.gpu != b.gpu || a.mig.has_value() != b.mig.has_value()) return false;
  return !a.mig || (a.mig->instance == b.mig->instance && a.mig->compute == b.mig->compute);
}

std::vector<Visible> without_list(const sim::Machine& machine, const std::vector<std::size_t>& order) {
  std::vector<Visible> whole, parts;
  for (const auto index : order)
    if (const auto device = as_device(machine, index)) (device->mig ? parts : whole).push_back(*device);
  if (whole.empty() && !parts.empty()) whole.push_back(parts.front());
  return whole;
}

}  // namespace

std::vector<Visible> visible_devices(const sim::Machine& machine, const sim::Environment& environment) {
  const auto order = ordered(machine, environment);
  const auto list = environment.get_even_if_empty("CUDA_VISIBLE_DEVICES");
  if (!list) return without_list(machine, order);
  std::vector<Visible> visible;
  for (std::string_view rest = *list; !rest.empty();) {
    const auto comma = rest.find(',');
    const auto device = device_of(trimmed(rest.substr(0, comma)), machine, order);
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
