// The newest events of the machine, as a program gets them that waits for NVML's events. As JSON.
#pragma once

#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>

#include "sim/state/machine.hpp"

namespace nvmlkit::serve {

class Events {
 public:
  // The machine outlives it.
  explicit Events(const sim::Machine& machine) : machine_(machine) {}

  // The events since the last call. Of more than events::Ring::kCapacity the oldest are lost.
  nlohmann::ordered_json take();
  // All that are kept, the oldest first.
  nlohmann::ordered_json all() const;

 private:
  const sim::Machine& machine_;
  std::uint64_t cursor_ = 0;
  std::deque<nlohmann::ordered_json> kept_;
};

}  // namespace nvmlkit::serve
