// Why a GPU refuses a change of MIG: what is in the way, and what would work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/mig/devices.hpp"
#include "sim/problem/problem.hpp"
#include "sim/setters/mig.hpp"
#include "sim/state/machine.hpp"
#include "sim/steering/mig.hpp"

namespace nvmlkit::sim::steering {

// What a change is about.
struct MigSubject {
  const MigProfileWord* profile = nullptr;
  std::optional<std::uint32_t> instance = {}, compute = {};  // that exists, or should
};

// `gpu` is the machine's own, `changed` the copy as it was when the setter refused.
Problem mig_problem(const Machine& machine, const model::Gpu& gpu, const model::Gpu& changed,
                    setters::MigRefusal refusal, const MigSubject& about);

// The profile of this name or id; null: none.
const model::MigProfile* gpu_profile_of(const model::Gpu& gpu, std::string_view word);
std::optional<mig::ComputeProfile> compute_profile_of(const model::Gpu& gpu, const model::MigProfile& profile,
                                                      std::string_view word);

// A name or an id of a profile that the GPU, or the GPU instance, does not have.
Problem unknown_gpu_profile(const model::Gpu& gpu, std::string_view given);
Problem unknown_compute_profile(const model::Gpu& gpu, const model::MigProfile& profile, std::string_view given);

// "process 31533 (train.py)": the first that runs on the GPU, on a GPU instance or on a MIG device; empty: none.
std::string user_of(const Machine& machine, const model::Gpu& gpu, std::optional<std::uint32_t> instance,
                    std::optional<std::uint32_t> compute);

// "2 x 1g.10gb, 1 x 2g.20gb": what there is room for; empty: nothing.
std::string room_of(const model::Gpu& gpu);

// "0 (3g.40gb), 9 (1g.10gb)": the GPU instances; empty: none.
std::string instances_of(const model::Gpu& gpu);

}  // namespace nvmlkit::sim::steering
