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

// The GPU that an entry means; what follows a number does not count.
std::optional<std::size_t> gpu_of(std::string_view entry, const sim::Machine& machine,
                                  const std::vector<std::size_t>& order) {
  if (entry.starts_with("GPU-")) {
    std::optional<std::size_t> found;
    for (const auto index : order) {
      if (!machine.gpus()[index].uuid->view().starts_with(entry)) continue;
      if (found) return std::nullopt;
      found = index;
    }
    return found;
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
  if (error != std::errc{} || number >= order.size()) return std::nullopt;
  return order[number];
}

}  // namespace

std::vector<std::size_t> visible_gpus(const sim::Machine& machine, const sim::Environment& environment) {
  auto order = ordered(machine, environment);
  const auto list = environment.get_even_if_empty("CUDA_VISIBLE_DEVICES");
  if (!list) return order;
  std::vector<std::size_t> visible;
  for (std::string_view rest = *list; !rest.empty();) {
    const auto comma = rest.find(',');
    const auto gpu = gpu_of(trimmed(rest.substr(0, comma)), machine, order);
    if (!gpu) break;
    if (std::find(visible.begin(), visible.end(), *gpu) != visible.end()) return {};
    visible.push_back(*gpu);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return visible;
}

}  // namespace nvmlkit::cuda
