#include "driver/nvml/library/lifecycle.hpp"

#include <pthread.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "driver/complain.hpp"
#include "driver/nvml/call/process_hooks.hpp"
#include "driver/nvml/events/sets.hpp"
#include "driver/nvml/library/enumeration.hpp"
#include "driver/nvml/library/origin.hpp"
#include "driver/search/search.hpp"
#include "sim/config/load.hpp"
#include "sim/events/messages.hpp"
#include "sim/events/ring.hpp"
#include "sim/problem/names.hpp"
#include "sim/state/attention.hpp"
#include "sim/state/file.hpp"
#include "sim/state/lock.hpp"
#include "sim/traits/driver_branch.hpp"
#include "sim/transaction/client.hpp"

namespace nvmlkit::driver {

#ifdef NVMLKIT_IN_PROCESS

namespace detail {
thread_local Running* current = nullptr;
}

namespace {

Lifecycle& lifecycle() { return static_cast<Driver&>(detail::running()); }

// It was loaded, and found to be right, before there was a table to call.
abi::nvmlReturn_t prepare(Lifecycle&, std::string&) noexcept { return abi::NVML_SUCCESS; }

}  // namespace

abi::nvmlReturn_t with_future_machine(const std::function<abi::nvmlReturn_t(const sim::Machine*)>& work) {
  return work(lifecycle().machine);
}

#else

namespace detail {
constinit Running only{};
}

namespace {

// No destructor runs for any of it: a client may call in from its own exit handlers.
constinit Lifecycle process;

Lifecycle& lifecycle() { return process; }

// A forked child has to init for itself, as with the real library, which compares process ids in every call. Its count
// of inits stays that of its parent until then: a shutdown before it succeeds.
void begin_as_child() {
  detail::running().watched.store(nullptr, std::memory_order_relaxed);
  detail::running().machine.store(nullptr, std::memory_order_relaxed);
  process.inherited = true;
  process.mutex.unlock();
}

// A child has only the thread that forked; with the lock held across the fork, no other thread's start is cut in half.
bool watch_forks() {
  if (!process.watches_forks)
    process.watches_forks =
        pthread_atfork([] { process.mutex.lock(); }, [] { process.mutex.unlock(); }, begin_as_child) == 0;
  return process.watches_forks;
}

using Loaded = sim::Expected<std::unique_ptr<sim::Machine> >;

using FoundState = std::optional<search::Found>;

// A machine that was found has its own driver, as that of NVMLKIT_STATE has.
Loaded load(const FoundState& found) {
  if (found) return sim::state::attach(found->state, search::kAdvice);
  auto environment = sim::Environment::process();
  auto machine = sim::load_machine(environment);
  if (!machine || built_for_branch == 0) return machine;
  // A library of a branch has a version of it, whatever the machine file says.
  const auto& version = (*machine)->system().driver_version;
  if (version && sim::branch_number(version->view()) == built_for_branch) return machine;
  const std::string branch = std::to_string(built_for_branch);
  if (const auto chosen = environment.get("NVMLKIT_DRIVER")) {
    auto problem =
        sim::contradiction("this library is a driver of branch " + branch + " and cannot be " + sim::quote(*chosen));
    return sim::fail(std::move(problem).at({"NVMLKIT_DRIVER", 0, 0}));
  }
  environment.set("NVMLKIT_DRIVER", branch);
  return sim::load_machine(environment);
}

// A machine that was found is as good as one that NVMLKIT_STATE names.
sim::Expected<std::uint64_t> origin_of(const FoundState& found) noexcept try {
  auto environment = sim::Environment::process();
  if (found) environment.set("NVMLKIT_STATE", found->state);
  return machine_origin(environment);
} catch (...) {
  return sim::fail({.kind = sim::ProblemKind::out_of_memory});
}

// Makes the machine, unless the one of before would be made again. `device_nodes` becomes the folder of the nodes.
abi::nvmlReturn_t prepare(Lifecycle& host, std::string& device_nodes) noexcept {
  auto found = search::find_state(sim::Environment::process());
  if (!found) {
    complain(found.error());
    return found.error().kind == sim::ProblemKind::missing ? abi::NVML_ERROR_DRIVER_NOT_LOADED
                                                           : abi::NVML_ERROR_UNKNOWN;
  }
  if (*found) device_nodes.swap((*found)->device_nodes);
  const auto origin = origin_of(*found);
  if (origin && host.origin == *origin) return abi::NVML_SUCCESS;
  host.origin = 0;
  auto loaded = load_or_complain([&]() -> Loaded {
    if (!origin) return sim::fail(origin.error());
    if (!watch_forks()) return sim::fail({.kind = sim::ProblemKind::out_of_memory});
    auto machine = load(*found);
    if (!machine) return machine;
    if (auto done = apply_process_faults(**machine); !done) return sim::fail(std::move(done.error()));
    return machine;
  });
  if (!loaded) return abi::NVML_ERROR_UNKNOWN;
  delete host.machine;
  host.machine = loaded.release();
  host.origin = *origin;
  return abi::NVML_SUCCESS;
}

// Runs at dlclose and at the end of the process. What a client did not shut down stays, for the same late calls.
[[gnu::destructor]] void release() {
  const std::unique_lock lock(process.mutex, std::try_to_lock);
  if (!lock || process.references != 0) return;
  delete process.machine;
  process.machine = nullptr;
  process.origin = 0;
}

}  // namespace

abi::nvmlReturn_t with_future_machine(const std::function<abi::nvmlReturn_t(const sim::Machine*)>& work) {
  std::unique_ptr<sim::Machine> machine;
  try {
    if (const auto found = search::find_state(sim::Environment::process()))
      if (auto loaded = load(*found)) machine = std::move(*loaded);
  } catch (...) {  // short memory: the machine stays null
  }
  return work(machine.get());
}

#endif

namespace {

// The kernel module names a client whose version is another. Nothing for a process that may only read the machine.
void log_mismatch(const sim::Machine& machine) {
  if (machine.access() != sim::Access::shared) return;
  const sim::state::Lock lock(machine);
  if (!lock) return;
  using namespace sim::events;
  publish(machine.events(), kNoGpu, {kLogged, data_of(Message::api_mismatch, 0), kNoInstance, kNoInstance},
          sim::transaction::this_process());
  lock.note_change();
}

// What a fault of the whole machine makes of nvmlInit.
abi::nvmlReturn_t refused_by_machine_fault(const sim::Machine& machine) {
  using sim::faults::MachineFault;
  switch (machine.attention().machine.load(std::memory_order_acquire)) {
    case MachineFault::driver_not_loaded:
      return abi::NVML_ERROR_DRIVER_NOT_LOADED;
    case MachineFault::version_mismatch:
      log_mismatch(machine);
      return abi::NVML_ERROR_LIB_RM_VERSION_MISMATCH;
    case MachineFault::no_permission:
      return abi::NVML_ERROR_NO_PERMISSION;
    default:  // without devices it starts: nvidia-smi then prints that it found none
      return abi::NVML_SUCCESS;
  }
}

}  // namespace

abi::nvmlReturn_t initialize(unsigned int flags) noexcept try {
  auto& state = lifecycle();
  const std::lock_guard lock(state.mutex);
  if (state.inherited) state.references = 0;
  state.inherited = false;
  const bool attaches = (flags & abi::INIT_FLAG_NO_ATTACH) == 0;
  if (state.references == 0) {
    std::string device_nodes;
    if (const auto refusal = prepare(state, device_nodes); refusal != abi::NVML_SUCCESS) return refusal;
    if (const auto refusal = refused_by_machine_fault(*state.machine); refusal != abi::NVML_SUCCESS) return refusal;
    begin_enumeration(*state.machine, device_nodes.c_str());
    if (!attaches) hide_all();
    detail::running().machine.store(state.machine, std::memory_order_release);
    detail::running().watched.store(watches_process() ? nullptr : &state.machine->attention().watched,
                                    std::memory_order_release);
  } else if (attaches && (flags & abi::INIT_FLAG_FORCE_INIT) != 0) {
    look_again(*state.machine);
  }
  ++state.references;
  state.ever_initialized = true;
  return abi::NVML_SUCCESS;
} catch (...) {
  return abi::NVML_ERROR_MEMORY;
}

abi::nvmlReturn_t shut_down() noexcept {
  auto& state = lifecycle();
  const std::lock_guard lock(state.mutex);
  // Measured on 535, 550 and 555: a shutdown that no init ever preceded succeeds. On 580 it does not.
  if (state.references == 0)
    return state.ever_initialized || built_for_branch >= 580 ? abi::NVML_ERROR_UNINITIALIZED : abi::NVML_SUCCESS;
  if (--state.references == 0) {
    detail::running().watched.store(nullptr, std::memory_order_release);
    detail::running().machine.store(nullptr, std::memory_order_release);
    end_waits(*state.machine);
  }
  return abi::NVML_SUCCESS;
}

}  // namespace nvmlkit::driver
