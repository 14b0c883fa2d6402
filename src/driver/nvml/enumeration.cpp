#include "driver/nvml/enumeration.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "driver/nvml/call.hpp"
#include "sim/faults/attention.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::driver {
namespace {

bool is_hidden(std::size_t place) {
  return (detail::running().hidden[place / 64].load(std::memory_order_relaxed) >> (place % 64) & 1) != 0;
}

bool any_hidden() { return detail::running().any_hidden.load(std::memory_order_relaxed); }

// Without a folder, every GPU has one.
bool has_node(const char* folder, std::uint32_t minor) {
  if (folder == nullptr || *folder == '\0') return true;
  char path[4096];
  const int length = std::snprintf(path, sizeof path, "%s/nvidia%u", folder, minor);
  return length > 0 && static_cast<std::size_t>(length) < sizeof path && access(path, F_OK) == 0;
}

}  // namespace

void begin_enumeration(const sim::Machine& machine) {
  const auto gpus = machine.gpus();
  std::uint64_t words[sim::max_gpus / 64] = {};
  bool any = false;
  const char* const folder = std::getenv("NVMLKIT_DEVICE_NODES");
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    std::uint32_t minor = 0;
    bool draining = false;
    sim::state::consistently(machine, machine.sequence(gpus[i]), [&] {
      draining = gpus[i].faults.draining != 0;
      minor = gpus[i].minor_number.value_or(static_cast<std::uint32_t>(i));
    });
    const bool hidden = draining || !has_node(folder, minor);
    words[i / 64] |= std::uint64_t{hidden} << (i % 64);
    any = any || hidden;
  }
  auto& running = detail::running();
  for (std::size_t i = 0; i < std::size(words); ++i) running.hidden[i].store(words[i], std::memory_order_relaxed);
  running.any_hidden.store(any, std::memory_order_relaxed);
}

bool is_visible(const sim::Machine& machine, std::size_t place) {
  return sim::faults::is_visible(machine, place) && !(any_hidden() && is_hidden(place));
}

std::size_t count_visible(const sim::Machine& machine) {
  return any_hidden() ? index_of_place(machine, machine.gpus().size()) : sim::faults::count_visible(machine);
}

std::size_t place_of_index(const sim::Machine& machine, std::size_t index) {
  if (!any_hidden()) return sim::faults::place_of_index(machine, index);
  for (std::size_t place = 0; place < machine.gpus().size(); ++place)
    if (is_visible(machine, place) && index-- == 0) return place;
  return sim::max_gpus;
}

std::size_t index_of_place(const sim::Machine& machine, std::size_t place) {
  if (!any_hidden()) return sim::faults::index_of_place(machine, place);
  std::size_t index = 0;
  for (std::size_t before = 0; before < place; ++before) index += is_visible(machine, before) ? 1 : 0;
  return index;
}

}  // namespace nvmlkit::driver
