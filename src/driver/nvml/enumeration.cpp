#include "driver/nvml/enumeration.hpp"

#include "driver/nvml/call.hpp"
#include "sim/faults/attention.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::driver {
namespace {

bool is_drained(std::size_t place) {
  return (detail::running().drained[place / 64].load(std::memory_order_relaxed) >> (place % 64) & 1) != 0;
}

bool any_drained() { return detail::running().any_drained.load(std::memory_order_relaxed); }

}  // namespace

void begin_enumeration(const sim::Machine& machine) {
  const auto gpus = machine.gpus();
  std::uint64_t words[sim::max_gpus / 64] = {};
  bool any = false;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    std::uint64_t draining = 0;
    sim::state::consistently(machine, machine.sequence(gpus[i]), [&] { draining = gpus[i].faults.draining != 0; });
    words[i / 64] |= draining << (i % 64);
    any = any || draining != 0;
  }
  auto& running = detail::running();
  for (std::size_t i = 0; i < std::size(words); ++i) running.drained[i].store(words[i], std::memory_order_relaxed);
  running.any_drained.store(any, std::memory_order_relaxed);
}

bool is_visible(const sim::Machine& machine, std::size_t place) {
  return sim::faults::is_visible(machine, place) && !(any_drained() && is_drained(place));
}

std::size_t count_visible(const sim::Machine& machine) {
  return any_drained() ? index_of_place(machine, machine.gpus().size()) : sim::faults::count_visible(machine);
}

std::size_t place_of_index(const sim::Machine& machine, std::size_t index) {
  if (!any_drained()) return sim::faults::place_of_index(machine, index);
  for (std::size_t place = 0; place < machine.gpus().size(); ++place)
    if (is_visible(machine, place) && index-- == 0) return place;
  return sim::max_gpus;
}

std::size_t index_of_place(const sim::Machine& machine, std::size_t place) {
  if (!any_drained()) return sim::faults::index_of_place(machine, place);
  std::size_t index = 0;
  for (std::size_t before = 0; before < place; ++before) index += is_visible(machine, before) ? 1 : 0;
  return index;
}

}  // namespace nvmlkit::driver
