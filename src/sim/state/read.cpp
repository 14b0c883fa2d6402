#include "sim/state/read.hpp"

#include <sched.h>

#include <ctime>

#include "sim/state/lock.hpp"
#include "storage/mutex.hpp"

namespace nvmlkit::sim::state {

bool detail::read_patiently(const Machine& machine, const Sequence& sequence, void (*read)(void*), void* context) {
  const auto again = [&] { read(context); };
  constexpr int kAttempts = 200;
  for (int i = 0; i < kAttempts; ++i) {
    if (i > kAttempts / 2) sched_yield();
    if (storage::try_read(sequence, again)) return true;
  }
  const Lock lock(machine);
  if (lock) {
    again();
    return true;
  }
  if (lock.refusal() == Refusal::busy) return false;
  for (int ms = 0; ms < storage::kLongestWaitS * 1000; ++ms) {
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
    if (storage::try_read(sequence, again)) return true;
  }
  return false;
}

}  // namespace nvmlkit::sim::state
