#include "driver/nvml/gpm/samples.hpp"

#include <mutex>
#include <new>

#include "driver/nvml/call/call.hpp"

namespace nvmlkit::driver {
namespace {

struct alignas(16) SamplePlace {
  const void* owner;  // the driver that gave it away; null while it is free
  bool taken;
  sim::gpm::Sample sample;
  SamplePlace* next_free;
};

struct SampleChunk {
  static constexpr std::size_t kPlacesInIt = 256;
  SamplePlace places[kPlacesInIt];
  SampleChunk* next;
};

// Zero bytes: loading the library runs nothing. Chunks are freed when no sample lives.
std::mutex samples_mutex;
SampleChunk* sample_chunks;
SamplePlace *first_free, *last_free;
std::size_t living_samples;

void put_last_sample(SamplePlace& place) {
  place.next_free = nullptr;
  (last_free != nullptr ? last_free->next_free : first_free) = &place;
  last_free = &place;
}

bool add_chunk() {
  auto* chunk = new (std::nothrow) SampleChunk{};
  if (chunk == nullptr) return false;
  chunk->next = sample_chunks;
  sample_chunks = chunk;
  for (auto& place : chunk->places) put_last_sample(place);
  return true;
}

void free_chunks() {
  while (sample_chunks != nullptr) {
    auto* chunk = sample_chunks;
    sample_chunks = chunk->next;
    delete chunk;
  }
  first_free = last_free = nullptr;
}

SamplePlace* find_sample(abi::nvmlGpmSample_t handle) {
  for (auto* chunk = sample_chunks; chunk != nullptr; chunk = chunk->next) {
    const auto offset = reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(chunk->places);
    if (offset >= sizeof chunk->places) continue;
    auto* place = &chunk->places[offset / sizeof(SamplePlace)];
    return offset % sizeof(SamplePlace) == 0 && place->owner == &detail::running() ? place : nullptr;
  }
  return nullptr;
}

}  // namespace

abi::nvmlGpmSample_t make_gpm_sample() {
  const std::lock_guard lock(samples_mutex);
  if (first_free == nullptr && !add_chunk()) return nullptr;
  auto& place = *first_free;
  first_free = place.next_free;
  if (first_free == nullptr) last_free = nullptr;
  place.owner = &detail::running();
  place.taken = false;
  ++living_samples;
  return reinterpret_cast<abi::nvmlGpmSample_t>(&place);
}

bool free_gpm_sample(abi::nvmlGpmSample_t handle) {
  const std::lock_guard lock(samples_mutex);
  auto* place = find_sample(handle);
  if (place == nullptr) return false;
  place->owner = nullptr;
  put_last_sample(*place);
  if (--living_samples == 0) free_chunks();
  return true;
}

bool is_gpm_sample(abi::nvmlGpmSample_t handle) {
  const std::lock_guard lock(samples_mutex);
  return find_sample(handle) != nullptr;
}

bool store_gpm_sample(abi::nvmlGpmSample_t handle, const sim::gpm::Sample& sample) {
  const std::lock_guard lock(samples_mutex);
  auto* place = find_sample(handle);
  if (place == nullptr) return false;
  place->sample = sample;
  place->taken = true;
  return true;
}

std::optional<sim::gpm::Sample> load_gpm_sample(abi::nvmlGpmSample_t handle) {
  const std::lock_guard lock(samples_mutex);
  const auto* place = find_sample(handle);
  return place != nullptr && place->taken ? std::optional(place->sample) : std::nullopt;
}

}  // namespace nvmlkit::driver
