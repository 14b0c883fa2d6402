#include "driver/nvml/lifecycle.hpp"

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "driver/nvml/call.hpp"
#include "sim/config/load.hpp"

namespace nvmlkit::driver {

namespace detail {

std::atomic<const sim::Machine*> machine{nullptr};
HandlePlace handle_places[sim::max_gpus];

}  // namespace detail

namespace {

struct State {
  std::mutex mutex;
  unsigned int references = 0;
  bool ever_initialized = false;
  std::unique_ptr<sim::Machine> machine;  // outlives the last shutdown, so that a late call of another thread is safe
};

// Never destroyed: a client may call in from its own exit handlers.
State& state() {
  static State& only = *new State;
  return only;
}

}  // namespace

abi::nvmlReturn_t initialize() {
  auto& s = state();
  const std::lock_guard lock(s.mutex);
  if (s.references == 0) {
    std::string error;
    auto loaded = sim::load_machine(sim::Environment::process(), error);
    if (!loaded) {
      std::fprintf(stderr, "nvmlkit: %s\n", error.c_str());
      return abi::NVML_ERROR_UNKNOWN;
    }
    s.machine = std::move(loaded);
    detail::machine.store(s.machine.get(), std::memory_order_release);
  }
  ++s.references;
  s.ever_initialized = true;
  return abi::NVML_SUCCESS;
}

abi::nvmlReturn_t shut_down() {
  auto& s = state();
  const std::lock_guard lock(s.mutex);
  // Measured on 535, 550 and 555: a shutdown that no init ever preceded succeeds.
  if (s.references == 0) return s.ever_initialized ? abi::NVML_ERROR_UNINITIALIZED : abi::NVML_SUCCESS;
  if (--s.references == 0) detail::machine.store(nullptr, std::memory_order_release);
  return abi::NVML_SUCCESS;
}

}  // namespace nvmlkit::driver
