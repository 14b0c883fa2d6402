// Placements of instances: memory slices of the GPU for GPU instances, their compute slices for compute instances.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/generated/model.hpp"
#include "sim/mig/profiles.hpp"

namespace nvmlkit::sim::mig {

inline constexpr std::uint32_t kMaxInstanceId = 14;

// The id of a GPU instance follows from its placement: 0 is the whole GPU, 1 and 2 are halves, 3 to 6 quarters, 7 to 14
// eighths. None for a placement that is no such part.
std::optional<std::uint32_t> instance_id(const model::Gpu& gpu, std::uint32_t start, std::uint32_t size);

// Is the placement one of the profile's, and are its slices free?
bool possible(const model::MigProfile& profile, std::uint32_t start, std::uint32_t size);
bool is_free(const model::Gpu& gpu, std::uint32_t start, std::uint32_t size);

// The free placement that takes the fewest free placements from other instances; the lowest of several.
std::optional<std::uint32_t> best_start(const model::Gpu& gpu, const model::MigProfile& profile);

// How many more instances of the profile fit: placements, engines and multiprocessors.
std::uint32_t capacity(const model::Gpu& gpu, const model::MigProfile& profile);

// The same for compute instances. They start at any slice.
std::uint32_t last_compute_start(const model::MigProfile& profile, const ComputeProfile& compute);
bool is_free(const model::Gpu& gpu, const model::MigInstance& instance, std::uint32_t start, std::uint32_t size);
std::optional<std::uint32_t> first_start(const model::Gpu& gpu, const model::MigInstance& instance,
                                         const ComputeProfile& compute);
std::uint32_t capacity(const model::Gpu& gpu, const model::MigInstance& instance, const ComputeProfile& compute);

}  // namespace nvmlkit::sim::mig
