#include "driver/nscq/session.hpp"

#include <algorithm>
#include <new>

#include "driver/complain.hpp"
#include "driver/search/search.hpp"
#include "sim/config/load.hpp"
#include "sim/state/attention.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::nscq {
namespace {

std::unique_ptr<sim::Machine> load(Result& result) {
  result = kDriverError;
  const auto found = driver::search::find_state(sim::Environment::process());
  if (!found) {
    driver::complain(found.error());
    return nullptr;
  }
  return driver::load_or_complain([&] {
    return *found ? sim::state::attach((*found)->state, driver::search::kAdvice)
                  : sim::load_machine(sim::Environment::process());
  });
}

// What a fault of the whole machine makes of a session.
Result driver_state(const sim::Machine& machine) {
  using sim::faults::MachineFault;
  switch (machine.attention().machine.load(std::memory_order_relaxed)) {
    case MachineFault::version_mismatch:
      return kUnsupportedDriver;
    case MachineFault::driver_not_loaded:
    case MachineFault::no_permission:
      return kDriverError;
    default:
      return kSuccess;
  }
}

}  // namespace

bool Session::mount(const Uuid& uuid, bool mounted) {
  const auto found =
      std::find_if(devices_.begin(), devices_.end(), [&](const Device& device) { return device.uuid == uuid; });
  if (found == devices_.end()) return false;
  found->is_mounted = mounted;
  return true;
}

std::unique_ptr<Session> make_session(Result& result) noexcept try {
  auto machine = load(result);
  if (!machine) return nullptr;
  result = driver_state(*machine);
  if (result != kSuccess) return nullptr;
  return std::make_unique<Session>(std::move(machine));
} catch (const std::bad_alloc&) {
  result = kUnspecified;
  return nullptr;
}

}  // namespace nvmlkit::nscq
