// The lock of a machine: its owner may change the machine.
#pragma once

#include <cstddef>

#include "sim/state/machine.hpp"
#include "storage/lock.hpp"

namespace nvmlkit::sim::state {

using storage::Refusal;

// Held for as long as it lives. Waits some seconds at most. Whoever comes after a writer that died first undoes the
// change that the writer had begun.
class Lock {
 public:
  explicit Lock(const Machine& machine);

  explicit operator bool() const { return refusal() == Refusal::none; }
  Refusal refusal() const { return lock_.refusal(); }
  const Machine& machine() const { return machine_; }

  // Puts `with` in place of a piece of the machine, whole: of the host or of a process table. A GPU is changed by
  // transaction::Edit, which also settles what follows from the change. False when there is no room on disk.
  template <class T>
  [[nodiscard]] bool replace(const T& piece, const T& with) const {
    return lock_.replace(&piece, &with, sizeof(T));
  }
  [[nodiscard]] bool replace(const std::byte* piece, const std::byte* with, std::size_t size) const {
    return lock_.replace(piece, with, size);
  }
  // Words changed that replace() does not write: rules about calls, the fault of the machine, an event alone.
  void note_change() const { lock_.note_change(); }

 private:
  const Machine& machine_;
  storage::Lock lock_;
};

}  // namespace nvmlkit::sim::state
