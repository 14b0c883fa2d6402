#include "driver/nvml/lifecycle.hpp"

#include <pthread.h>

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

// No destructor runs for any of it: a client may call in from its own exit handlers.
struct State {
  std::mutex mutex;
  unsigned int references = 0;
  bool ever_initialized = false;
  bool watches_forks = false;
  sim::Machine* machine = nullptr;  // outlives the last shutdown, so that a late call of another thread is safe
};

constinit State state;

// A child has only the thread that forked; with the lock held across the fork, no other thread's start is cut in half.
bool watch_forks() {
  if (!state.watches_forks)
    state.watches_forks =
        pthread_atfork([] { state.mutex.lock(); }, [] { state.mutex.unlock(); }, [] { state.mutex.unlock(); }) == 0;
  return state.watches_forks;
}

void complain(const std::string& error) {
  std::fprintf(stderr, "nvmlkit: %s\n", error.empty() ? "out of memory" : error.c_str());
}

// Runs at dlclose and at the end of the process. What a client did not shut down stays, for the same late calls.
[[gnu::destructor]] void release() {
  const std::unique_lock lock(state.mutex, std::try_to_lock);
  if (!lock || state.references != 0) return;
  delete state.machine;
  state.machine = nullptr;
}

}  // namespace

abi::nvmlReturn_t initialize() noexcept {
  const std::lock_guard lock(state.mutex);
  if (state.references == 0) {
    std::string error;
    auto loaded = watch_forks() ? sim::load_machine(sim::Environment::process(), error) : nullptr;
    if (!loaded) {
      complain(error);
      return abi::NVML_ERROR_UNKNOWN;
    }
    delete state.machine;
    state.machine = loaded.release();
    detail::machine.store(state.machine, std::memory_order_release);
  }
  ++state.references;
  state.ever_initialized = true;
  return abi::NVML_SUCCESS;
}

abi::nvmlReturn_t shut_down() noexcept {
  const std::lock_guard lock(state.mutex);
  // Measured on 535, 550 and 555: a shutdown that no init ever preceded succeeds.
  if (state.references == 0) return state.ever_initialized ? abi::NVML_ERROR_UNINITIALIZED : abi::NVML_SUCCESS;
  if (--state.references == 0) detail::machine.store(nullptr, std::memory_order_release);
  return abi::NVML_SUCCESS;
}

}  // namespace nvmlkit::driver
