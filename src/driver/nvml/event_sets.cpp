#include "driver/nvml/event_sets.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace nvmlkit::driver {
namespace {

// A handle is the address of a place; it is never followed before it was found to be one.
struct alignas(16) Place {
  std::atomic<bool> taken{false};
};

constexpr std::size_t kPlaces = 4096;
Place places[kPlaces];

Place* place_of(abi::nvmlEventSet_t set) {
  const auto offset = reinterpret_cast<std::uintptr_t>(set) - reinterpret_cast<std::uintptr_t>(places);
  if (offset % sizeof(Place) != 0 || offset / sizeof(Place) >= kPlaces) return nullptr;
  return &places[offset / sizeof(Place)];
}

}  // namespace

abi::nvmlEventSet_t create_event_set() {
  for (auto& place : places)
    if (!place.taken.load(std::memory_order_relaxed) && !place.taken.exchange(true))
      return reinterpret_cast<abi::nvmlEventSet_t>(&place);
  return nullptr;
}

bool is_event_set(abi::nvmlEventSet_t set) {
  const auto* place = place_of(set);
  return place && place->taken.load();
}

bool free_event_set(abi::nvmlEventSet_t set) {
  auto* place = place_of(set);
  return place && place->taken.exchange(false);
}

}  // namespace nvmlkit::driver
