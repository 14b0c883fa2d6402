// The change of a GPU: the only place that plans, settles and publishes it.
#pragma once

#include <cstddef>
#include <memory>

#include "sim/state/lock.hpp"

namespace nvmlkit::sim::transaction {

// A GPU as it shall become: a copy to work on, which commit() puts in the GPU's place. Without commit() nothing has
// happened.
class Edit {
 public:
  Edit(const state::Lock& lock, std::size_t gpu);

  explicit operator bool() const { return copy_ != nullptr; }  // false: no memory
  model::Gpu& operator*() { return *copy_; }
  model::Gpu* operator->() { return copy_.get(); }

  // Telemetry plans the future of the GPU, counters of links go on from where they are, the GPU is written, the events
  // that were noted in the copy are published, and the other ends of its links learn of the change.
  void commit();

 private:
  void write();
  void publish(const events::Noted& noted, bool availability_changed) const;
  void settle_peers() const;
  struct Free {
    void operator()(model::Gpu* gpu) const;
  };

  const state::Lock& lock_;
  std::size_t index_;
  std::unique_ptr<model::Gpu, Free> copy_;
};

}  // namespace nvmlkit::sim::transaction
