// The types of NVML's events that a GPU supports.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/generated/model.hpp"

namespace nvmlkit::sim {

// As bits of model::EventType. Newer drivers know more types; the GPU's architecture and its ECC decide which of them
// it has.
std::uint64_t event_types(const model::Gpu& gpu, std::string_view driver_version);

}  // namespace nvmlkit::sim
