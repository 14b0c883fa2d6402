// What an exported function does first: is the library initialized, is the handle one of ours, is the version known.
#pragma once

#include <atomic>
#include <initializer_list>

#include "nvmlkit/generated/abi.hpp"
#include "sim/machine.hpp"

#define NVMLKIT_EXPORT __attribute__((visibility("default")))

namespace nvmlkit::driver {

namespace detail {

extern std::atomic<const sim::Machine*> machine;

// A handle is the address of a GPU's place in this table: never null, never followed, the same for the process's life.
struct alignas(16) HandlePlace {
  unsigned char nothing[16];
};
extern HandlePlace handle_places[sim::max_gpus];

}  // namespace detail

// Null before nvmlInit and after the last nvmlShutdown.
inline const sim::Machine* initialized_machine() { return detail::machine.load(std::memory_order_acquire); }

inline abi::nvmlDevice_t handle_of(std::size_t index) {
  return reinterpret_cast<abi::nvmlDevice_t>(&detail::handle_places[index]);
}

// Null for anything that handle_of did not give for this machine; such a value is not followed.
inline const sim::model::Gpu* find_gpu(const sim::Machine& machine, abi::nvmlDevice_t device) {
  const auto offset =
      reinterpret_cast<std::uintptr_t>(device) - reinterpret_cast<std::uintptr_t>(detail::handle_places);
  const auto gpus = machine.gpus();
  if (offset % sizeof(detail::HandlePlace) != 0 || offset / sizeof(detail::HandlePlace) >= gpus.size()) return nullptr;
  return &gpus[offset / sizeof(detail::HandlePlace)];
}

inline bool is_one_of(unsigned int version, std::initializer_list<unsigned int> known) {
  for (const auto tag : known)
    if (version == tag) return true;
  return false;
}

}  // namespace nvmlkit::driver
