#include "driver/nvml/gpm_samples.hpp"

#include <mutex>
#include <new>

#include "driver/nvml/call.hpp"

namespace nvmlkit::driver {
namespace {

struct alignas(16) Place {
  const void* owner;  // the driver that gave it away; null while it is free
  bool taken;
  sim::gpm::Sample sample;
  Place* next_free;
};

struct Chunk {
  static constexpr std::size_t places_in_it = 256;
  Place places[places_in_it];
  Chunk* next;
};

// Zero bytes: loading the library runs nothing. Chunks are freed when no sample lives.
std::mutex mutex;
Chunk* chunks;
Place *first_free, *last_free;
std::size_t living;

void put_last(Place& place) {
  place.next_free = nullptr;
  (last_free != nullptr ? last_free->next_free : first_free) = &place;
  last_free = &place;
}

bool grow() {
  auto* chunk = new (std::nothrow) Chunk{};
  if (chunk == nullptr) return false;
  chunk->next = chunks;
  chunks = chunk;
  for (auto& place : chunk->places) put_last(place);
  return true;
}

void free_all() {
  while (chunks != nullptr) {
    auto* chunk = chunks;
    chunks = chunk->next;
    delete chunk;
  }
  first_free = last_free = nullptr;
}

Place* find(abi::nvmlGpmSample_t handle) {
  for (auto* chunk = chunks; chunk != nullptr; chunk = chunk->next) {
    const auto offset = reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(chunk->places);
    if (offset >= sizeof chunk->places) continue;
    auto* place = &chunk->places[offset / sizeof(Place)];
    return offset % sizeof(Place) == 0 && place->owner == &detail::running() ? place : nullptr;
  }
  return nullptr;
}

}  // namespace

abi::nvmlGpmSample_t make_gpm_sample() {
  const std::lock_guard lock(mutex);
  if (first_free == nullptr && !grow()) return nullptr;
  auto& place = *first_free;
  first_free = place.next_free;
  if (first_free == nullptr) last_free = nullptr;
  place.owner = &detail::running();
  place.taken = false;
  ++living;
  return reinterpret_cast<abi::nvmlGpmSample_t>(&place);
}

bool free_gpm_sample(abi::nvmlGpmSample_t handle) {
  const std::lock_guard lock(mutex);
  auto* place = find(handle);
  if (place == nullptr) return false;
  place->owner = nullptr;
  put_last(*place);
  if (--living == 0) free_all();
  return true;
}

bool is_gpm_sample(abi::nvmlGpmSample_t handle) {
  const std::lock_guard lock(mutex);
  return find(handle) != nullptr;
}

bool store_gpm_sample(abi::nvmlGpmSample_t handle, const sim::gpm::Sample& sample) {
  const std::lock_guard lock(mutex);
  auto* place = find(handle);
  if (place == nullptr) return false;
  place->sample = sample;
  place->taken = true;
  return true;
}

std::optional<sim::gpm::Sample> load_gpm_sample(abi::nvmlGpmSample_t handle) {
  const std::lock_guard lock(mutex);
  const auto* place = find(handle);
  return place != nullptr && place->taken ? std::optional(place->sample) : std::nullopt;
}

}  // namespace nvmlkit::driver
