// Names of the memory errors that nvidia-smi counts.
#pragma once

#include <nvmlkit/nvml.hpp>

namespace nvmlkit::smi {

inline constexpr auto kCorrected = nvml::MemoryErrorType::corrected, kUncorrected = nvml::MemoryErrorType::uncorrected;
inline constexpr auto kVolatile = nvml::EccCounter::volatile_, kAggregate = nvml::EccCounter::aggregate;

}  // namespace nvmlkit::smi
