// Reads values that another thread or process may be writing: without lock or allocation, and never half of a change.
#pragma once

#include <memory>

#include "sim/state/machine.hpp"

namespace nvmlkit::sim::state {
namespace detail {

// Tries for a while, then waits for the lock, which also mends what a dead writer left. False when neither works.
bool read_patiently(const Machine& machine, const Sequence& sequence, void (*read)(void*), void* context);

}  // namespace detail

// Runs `read` until it has seen one state of what `sequence` guards: machine.sequence(gpu) for one GPU,
// machine.sequence() for all. False when a writer that was stopped in the middle does not go on within seconds.
template <class Read>
bool consistently(const Machine& machine, const Sequence& sequence, Read&& read) {
  if (storage::try_read(sequence, read)) [[likely]]
    return true;
  return detail::read_patiently(
      machine, sequence, [](void* context) { (*static_cast<std::remove_reference_t<Read>*>(context))(); },
      std::addressof(read));
}

}  // namespace nvmlkit::sim::state
