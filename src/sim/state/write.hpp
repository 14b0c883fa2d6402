// Changing a machine so that readers see all of a change or nothing, and a writer's death leaves no half of one.
#pragma once

#include <cstddef>
#include <memory>

#include "sim/machine.hpp"

namespace nvmlkit::sim::state {

// Why nothing can be written.
enum class Refusal {
  none,
  read_only,  // the state file may only be read
  busy,       // another writer was stopped while it held the lock
};

// The right to write, for as long as it lives. Waits some seconds at most. Whoever comes after a writer that died
// first undoes what that one had begun.
class Lock {
 public:
  explicit Lock(const Machine& machine);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  explicit operator bool() const { return refusal_ == Refusal::none; }
  Refusal refusal() const { return refusal_; }
  const Machine& machine() const { return machine_; }

  // Puts `with` in place of a piece of the machine, whole, as Edit does with a GPU: for what lies outside of GPUs, or
  // is much smaller than one. False when there is no room on disk for it.
  template <class T>
  [[nodiscard]] bool replace(const T& piece, const T& with) const {
    return replace(&piece, &with, sizeof(T));
  }

 private:
  bool replace(const void* piece, const void* with, std::size_t size) const;

  const Machine& machine_;
  Refusal refusal_;
};

// A GPU as it shall become: a copy to work on, which commit() puts in the GPU's place. Without commit() nothing has
// happened.
class Edit {
 public:
  Edit(const Lock& lock, std::size_t gpu);

  explicit operator bool() const { return copy_ != nullptr; }  // false: no memory
  model::Gpu& operator*() { return *copy_; }
  model::Gpu* operator->() { return copy_.get(); }
  // Raises the events that were noted in the copy, too.
  void commit();

 private:
  void write();
  struct Free {
    void operator()(model::Gpu* gpu) const;
  };

  const Lock& lock_;
  std::size_t index_;
  std::unique_ptr<model::Gpu, Free> copy_;
};

}  // namespace nvmlkit::sim::state
