// Shapes that generated methods answer with.
#pragma once

#include <nvmlkit/generated/abi.hpp>
#include <vector>

namespace nvmlkit::nvml {

// What nvmlDeviceGetSamples answers: the type says which member of each value counts.
struct Samples {
  abi::nvmlValueType_t type{};
  std::vector<abi::nvmlSample_t> entries;
};

}  // namespace nvmlkit::nvml
