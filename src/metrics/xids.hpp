// How often each Xid was raised, counted from the events of a machine.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "sim/state/machine.hpp"

namespace nvmlkit::metrics {

class XidCounter {
 public:
  // Counts the events since the last call. Of more than events::Ring::kCapacity the oldest are lost.
  void take(const sim::Machine& machine);

  // By place of the GPU and number.
  const std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t>& counts() const { return counts_; }

 private:
  std::uint64_t cursor_ = 0;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> counts_;
};

}  // namespace nvmlkit::metrics
