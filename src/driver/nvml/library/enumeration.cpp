#include "driver/nvml/library/enumeration.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "driver/nvml/call/call.hpp"
#include "sim/mig/device_nodes.hpp"
#include "sim/state/attention.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::driver {
namespace {

bool is_hidden(std::size_t place) {
  return (detail::running().hidden[place / 64].load(std::memory_order_relaxed) >> (place % 64) & 1) != 0;
}

bool any_hidden() { return detail::running().any_hidden.load(std::memory_order_relaxed); }

}  // namespace

void begin_enumeration(const sim::Machine& machine, const char* device_nodes) {
  const auto gpus = machine.gpus();
  std::uint64_t words[sim::kMaxGpus / 64] = {};
  bool any = false;
  auto& running = detail::running();
  const char* const named = std::getenv(sim::device_nodes::kVariable);
  std::snprintf(running.device_nodes, sizeof running.device_nodes, "%s", named == nullptr ? device_nodes : named);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    std::uint32_t minor = 0;
    bool draining = false;
    sim::state::consistently(machine, machine.sequence(gpus[i]), [&] {
      draining = gpus[i].faults.draining != 0;
      minor = gpus[i].minor_number.value_or(static_cast<std::uint32_t>(i));
    });
    const bool hidden = draining || !sim::device_nodes::has_gpu(running.device_nodes, minor);
    words[i / 64] |= std::uint64_t{hidden} << (i % 64);
    any = any || hidden;
  }
  for (std::size_t i = 0; i < std::size(words); ++i) running.hidden[i].store(words[i], std::memory_order_relaxed);
  running.any_hidden.store(any, std::memory_order_relaxed);
}

void hide_all() {
  auto& running = detail::running();
  for (auto& word : running.hidden) word.store(~std::uint64_t{0}, std::memory_order_relaxed);
  running.any_hidden.store(true, std::memory_order_relaxed);
}

void look_again(const sim::Machine& machine) {
  const std::string nodes = detail::running().device_nodes;
  begin_enumeration(machine, nodes.c_str());
}

bool is_visible(const sim::Machine& machine, std::size_t place) {
  return sim::state::is_visible(machine, place) && !(any_hidden() && is_hidden(place));
}

std::size_t count_visible(const sim::Machine& machine) {
  return any_hidden() ? index_of_place(machine, machine.gpus().size()) : sim::state::count_visible(machine);
}

std::size_t place_of_index(const sim::Machine& machine, std::size_t index) {
  if (!any_hidden()) return sim::state::place_of_index(machine, index);
  for (std::size_t place = 0; place < machine.gpus().size(); ++place)
    if (is_visible(machine, place) && index-- == 0) return place;
  return sim::kMaxGpus;
}

std::size_t index_of_place(const sim::Machine& machine, std::size_t place) {
  if (!any_hidden()) return sim::state::index_of_place(machine, place);
  std::size_t index = 0;
  for (std::size_t before = 0; before < place; ++before) index += is_visible(machine, before) ? 1 : 0;
  return index;
}

bool is_visible(const sim::model::Gpu& gpu, sim::mig::DeviceId id) {
  return sim::device_nodes::has_mig_device(detail::running().device_nodes, gpu.minor_number.value_or(0), id);
}

std::optional<sim::mig::Device> mig_device_at(const sim::model::Gpu& gpu, std::uint32_t index) {
  for (std::uint32_t at = 0; const auto device = sim::mig::device_at(gpu, at); ++at)
    if (is_visible(gpu, device->id()) && index-- == 0) return device;
  return {};
}

std::optional<std::uint32_t> index_of_mig_device(const sim::model::Gpu& gpu, sim::mig::DeviceId id) {
  const auto end = sim::mig::index_of(gpu, id);
  if (!end || !is_visible(gpu, id)) return {};
  std::uint32_t index = 0;
  for (std::uint32_t at = 0; at < *end; ++at)
    if (const auto device = sim::mig::device_at(gpu, at); device && is_visible(gpu, device->id())) ++index;
  return index;
}

}  // namespace nvmlkit::driver
