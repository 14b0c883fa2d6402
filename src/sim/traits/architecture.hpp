// What a GPU has by its architecture. The traits are data: registry/semantics/values/architectures.yaml.
#pragma once

#include "sim/generated/architecture_traits.hpp"
#include "sim/generated/model.hpp"

namespace nvmlkit::sim {

// Is the architecture known, and this one or a newer one?
bool is_from(const model::Gpu& gpu, std::uint32_t architecture);

// False for a GPU of unknown architecture.
bool has(const model::Gpu& gpu, Trait trait);

}  // namespace nvmlkit::sim
