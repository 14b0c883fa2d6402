// How often each event was raised, counted from the events of a machine.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "sim/state/machine.hpp"

namespace nvmlkit::metrics {

class EventCounter {
 public:
  using OfGpus = std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t>;

  // Counts the events since the last call. Of more than events::Ring::kCapacity the oldest are lost.
  void take(const sim::Machine& machine);

  // By place of the GPU and number.
  const OfGpus& xids() const { return xids_; }
  // Of NVML, by place of the GPU and type.
  const OfGpus& events() const { return events_; }
  // By number, of all NVSwitches.
  const std::map<std::uint32_t, std::uint64_t>& sxids() const { return sxids_; }

 private:
  std::uint64_t cursor_ = 0;
  OfGpus xids_, events_;
  std::map<std::uint32_t, std::uint64_t> sxids_;
};

}  // namespace nvmlkit::metrics
