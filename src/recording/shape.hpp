// A workload from a recording: its utilization over time, without the values that follow from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "recording/recording.hpp"

namespace nvmlkit::recording {

struct ShapeStep {
  std::int64_t at_ms = 0;          // behind the first sample
  std::vector<std::string> words;  // behind `load gpu=...`: 97% --memory 60%, or off
};

// Of a recording in order. A step begins where a share moves by two points or more, or where the GPU begins or ends to
// work. The last one ends the workload, as long behind the last sample as samples are apart. Empty if the GPU has no
// utilization.
std::vector<ShapeStep> shape_of(const Recording& recording, std::uint32_t gpu);

}  // namespace nvmlkit::recording
