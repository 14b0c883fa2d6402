// nvmlInit and nvmlShutdown: reference counting, and the machine of the calls between them.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

#include "driver/nvml/call/call.hpp"
#include "nvmlkit/generated/abi.hpp"

namespace nvmlkit::driver {

// What nvmlInit and nvmlShutdown keep of a driver: the process's own in a library, one per table in a program.
struct Lifecycle {
  std::mutex mutex;
  unsigned references = 0;
  bool ever_initialized = false;
  bool inherited = false;  // the references are those of the process that forked this one
  bool watches_forks = false;
  // Outlives the last shutdown, so that a late call of another thread is safe and what was set stays set.
  sim::Machine* machine = nullptr;
  std::uint64_t origin = 0;  // machine_origin() as it was made; 0: none was
};

#ifdef NVMLKIT_IN_PROCESS
struct Driver : detail::Running, Lifecycle {
  using Running::machine;
  ~Driver() { delete Lifecycle::machine; }
};
#endif

// With flags of nvmlInitWithFlags. The first init decides whether the process sees GPUs (NVML_INIT_FLAG_NO_ATTACH); a
// later one with NVML_INIT_FLAG_FORCE_INIT looks for them again.
abi::nvmlReturn_t initialize(unsigned int flags = 0) noexcept;
abi::nvmlReturn_t shut_down() noexcept;

// Calls work(machine) with the machine that nvmlInit starts, for functions that answer before it. The machine is null
// where there is none.
abi::nvmlReturn_t with_future_machine(const std::function<abi::nvmlReturn_t(const sim::Machine*)>& work);

// The branch that the library was built to be, 0 for one that is any.
extern const unsigned int built_for_branch;

}  // namespace nvmlkit::driver
