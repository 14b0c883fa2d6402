// The first checks of an exported function: library initialized, handle valid, version known.
#pragma once

#include <atomic>
#include <initializer_list>

#include "nvmlkit/generated/abi.hpp"
#include "sim/state/machine.hpp"

// The same code is a library that exports the C functions, and part of a program that calls them through a table
// (NVMLKIT_IN_PROCESS): there they are C++ functions, whose names clash with no library.
#ifdef NVMLKIT_IN_PROCESS
#define NVMLKIT_EXPORT
#define NVMLKIT_EXPORTS_BEGIN namespace nvmlkit::driver::inline in_process {
#define NVMLKIT_EXPORTS_END }
#else
#define NVMLKIT_EXPORT __attribute__((visibility("default")))
#define NVMLKIT_EXPORTS_BEGIN extern "C" {
#define NVMLKIT_EXPORTS_END }
#endif

namespace nvmlkit::driver {

namespace detail {

// A handle is the address of a GPU's place in this table: never null, never followed, the same for the process's life.
struct alignas(16) HandlePlace {
  unsigned char nothing[16];
};

// Places of MIG handles (mig/handles.hpp) are a byte each: there may be many, and nothing lies there.
using Place = unsigned char;
inline constexpr std::size_t kInstancesPerGpu = 16;
inline constexpr std::size_t kComputeInstancesPerInstance = 8;
inline constexpr std::size_t kMaxMigDevices = sim::kMaxGpus * kInstancesPerGpu * kComputeInstancesPerInstance;

inline constexpr std::size_t kMaxUnits = decltype(sim::model::Machine::units)::capacity();

// What a call reads of its driver. A library has one; in a program, the call's thread knows whose call it is.
struct Running {
  std::atomic<const sim::Machine*> machine{nullptr};
  // Points to a word that is not zero while calls go through observe(). Null: all do, as before the start and while
  // they are logged. All of this begins as zero bytes, so that loading a library runs nothing.
  std::atomic<const std::atomic<std::uint32_t>*> watched{nullptr};
  // GPUs that the process did not see when it started NVML, and so never does (library/enumeration.hpp).
  char device_nodes[4096]{};  // NVMLKIT_DEVICE_NODES at that time
  std::atomic<bool> any_hidden{false};
  std::atomic<std::uint64_t> hidden[sim::kMaxGpus / 64]{};
  HandlePlace handle_places[sim::kMaxGpus]{};
  Place gpu_instance_places[sim::kMaxGpus * kInstancesPerGpu]{};
  Place compute_instance_places[kMaxMigDevices]{};
  Place mig_places[kMaxMigDevices]{};
  Place unit_places[kMaxUnits]{};
};
#ifdef NVMLKIT_IN_PROCESS
extern thread_local Running* current;
inline Running& running() { return *current; }
#else
extern Running only;
inline Running& running() { return only; }
#endif

}  // namespace detail

// Null before nvmlInit and after the last nvmlShutdown.
inline const sim::Machine* initialized_machine() { return detail::running().machine.load(std::memory_order_acquire); }

inline abi::nvmlDevice_t handle_of(std::size_t index) {
  return reinterpret_cast<abi::nvmlDevice_t>(&detail::running().handle_places[index]);
}

// Null for anything that handle_of did not give for this machine; such a value is not followed.
inline const sim::model::Gpu* find_gpu(const sim::Machine& machine, abi::nvmlDevice_t device) {
  const auto offset =
      reinterpret_cast<std::uintptr_t>(device) - reinterpret_cast<std::uintptr_t>(detail::running().handle_places);
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
