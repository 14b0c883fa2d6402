// Finds, makes and destroys GPU instances and compute instances. They are in gpu.mig.instances, in the order of their
// ids.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/generated/model.hpp"
#include "sim/mig/profiles.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::sim::mig {

const model::MigProfile* profile_of(const model::Gpu& gpu, const model::MigInstance& instance);
std::uint32_t size_of(const model::Gpu& gpu, const model::MigInstance& instance);  // memory slices
std::optional<ComputeProfile> compute_profile_of(const model::Gpu& gpu, const model::MigProfile& profile,
                                                 const model::MigComputeInstance& instance);

// Null where there is none of the id.
const model::MigInstance* find_instance(const model::Gpu& gpu, std::uint32_t id);
model::MigInstance* find_instance(model::Gpu& gpu, std::uint32_t id);
const model::MigComputeInstance* find_compute(const model::MigInstance& instance, std::uint32_t id);
model::MigComputeInstance* find_compute(model::MigInstance& instance, std::uint32_t id);

enum class Refusal {
  none,
  invalid,       // a placement that the profile does not have
  insufficient,  // no room, no engine, or none of the profile left
};

// Makes an instance, at the given or at the best place, and returns its id.
Refusal create_instance(model::Gpu& gpu, const model::MigProfile& profile, std::optional<std::uint32_t> start,
                        std::uint32_t& id);
Refusal create_compute(model::Gpu& gpu, model::MigInstance& instance, const ComputeProfile& compute,
                       std::optional<std::uint32_t> start, std::uint32_t& id);

// What is not there is not destroyed.
void destroy_instance(model::Gpu& gpu, std::uint32_t id);
void destroy_compute(model::MigInstance& instance, std::uint32_t id);

// Gives a compute instance another id, which none has.
void change_compute_id(model::MigInstance& instance, std::uint32_t from, std::uint32_t to);

// A GPU without instances, as after a reset.
void destroy_all(model::Gpu& gpu);

// Gives the instances of a machine file their ids and places. A GPU with a problem stays as the file says it. Doing it
// twice changes nothing.
Expected<void> settle(model::Gpu& gpu);

// What settle() would say: a problem of an item of mig.profiles or mig.instances.
Expected<void> check(const model::Gpu& gpu);

}  // namespace nvmlkit::sim::mig
