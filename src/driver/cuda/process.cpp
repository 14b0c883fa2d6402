#include "driver/cuda/process.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "driver/complain.hpp"
#include "driver/cuda/device/visible_devices.hpp"
#include "driver/cuda/mps/mps.hpp"
#include "driver/cuda/sanitize/sanitizer.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/search/search.hpp"
#include "sim/config/load.hpp"
#include "sim/mig/device_nodes.hpp"
#include "sim/state/attention.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::cuda {
namespace {

// Nothing of it is ever destroyed: threads of the program may call until its very end, and the library stays loaded.
struct Process {
  std::mutex mutex;
  bool watches_forks = false;
  sim::Machine* machine = nullptr;
  std::string* device_nodes = nullptr;  // of a machine that was found
  std::vector<std::unique_ptr<Device>>* devices = nullptr;
  std::atomic<bool> initialized{false};
  std::atomic<bool> is_child{false};
};
constinit Process process;

// The parent's contexts are undefined in a child. It has none, and can make none.
void in_child() {
  if (process.initialized) process.is_child = true;
  mps::leave_in_child();
  process.initialized = false;
}

bool watch_forks() {
  if (!process.watches_forks)
    process.watches_forks = pthread_atfork([] { process.mutex.lock(); }, [] { process.mutex.unlock(); },
                                           [] {
                                             process.mutex.unlock();
                                             in_child();
                                           }) == 0;
  return process.watches_forks;
}

sim::Expected<std::unique_ptr<sim::Machine>> load_found(const std::optional<driver::search::Found>& found) {
  if (!watch_forks()) return sim::fail({.kind = sim::ProblemKind::out_of_memory});
  if (!found) return sim::load_machine(sim::Environment::process());
  auto nodes = std::make_unique<std::string>(found->device_nodes);
  auto machine = sim::state::attach(found->state, driver::search::kAdvice);
  if (machine) process.device_nodes = nodes.release();
  return machine;
}

// With the lock held.
CUresult load() {
  if (process.machine) return CUDA_SUCCESS;
  const auto found = driver::search::find_state(sim::Environment::process());
  if (!found) {
    driver::complain(found.error());
    return found.error().kind == sim::ProblemKind::missing ? CUDA_ERROR_NO_DEVICE : CUDA_ERROR_UNKNOWN;
  }
  process.machine = driver::load_or_complain([&found] { return load_found(*found); }).release();
  return process.machine ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

sim::Environment environment() {
  auto variables = sim::Environment::process();
  const char* const nodes = sim::device_nodes::kVariable;
  if (process.device_nodes && !variables.get_even_if_empty(nodes)) variables.set(nodes, *process.device_nodes);
  return variables;
}

// Whether the machine's driver can start.
CUresult driver_state() {
  using sim::faults::MachineFault;
  switch (process.machine->attention().machine.load(std::memory_order_relaxed)) {
    case MachineFault::version_mismatch:
      return CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
    case MachineFault::driver_not_loaded:
    case MachineFault::no_permission:
    case MachineFault::no_devices:
      return CUDA_ERROR_NO_DEVICE;
    default:
      return CUDA_SUCCESS;
  }
}

}  // namespace

bool is_initialized() { return process.initialized.load(std::memory_order_acquire); }

CUresult initialize() {
  if (process.is_child) return CUDA_ERROR_NOT_INITIALIZED;
  const std::lock_guard lock(process.mutex);
  if (process.initialized) return CUDA_SUCCESS;
  sanitizer::begin();
  if (const auto result = load(); result != CUDA_SUCCESS) return result;
  if (const auto result = driver_state(); result != CUDA_SUCCESS) return result;
  const auto visible = visible_devices(*process.machine, environment());
  if (visible.empty()) return CUDA_ERROR_NO_DEVICE;
  auto found = std::make_unique<std::vector<std::unique_ptr<Device>>>();
  for (const auto& seen : visible)
    found->push_back(std::make_unique<Device>(*process.machine, process.machine->gpus()[seen.gpu],
                                              static_cast<CUdevice>(found->size()), seen.mig));
  if (const auto result = mps::join(*found); result != CUDA_SUCCESS) return result;
  static constinit std::once_flag watches_end;
  std::call_once(watches_end, [] {
    std::atexit([] {
      if (is_initialized()) schedule::end();
    });
  });
  delete process.devices;
  process.devices = found.release();
  process.initialized.store(true, std::memory_order_release);
  return CUDA_SUCCESS;
}

const sim::Machine* future_machine() {
  const std::lock_guard lock(process.mutex);
  return load() == CUDA_SUCCESS ? process.machine : nullptr;
}

const sim::Machine& machine() { return *process.machine; }
std::vector<std::unique_ptr<Device>>& devices() { return *process.devices; }

Device* find_device(CUdevice ordinal) {
  const auto& all = devices();
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= all.size()) return nullptr;
  return all[static_cast<std::size_t>(ordinal)].get();
}

int machine_version(const sim::Machine& machine) {
  const auto& system = machine.system();
  return static_cast<int>(1000 * system.cuda_version_major.value_or(12) + 10 * system.cuda_version_minor.value_or(4));
}

}  // namespace nvmlkit::cuda
