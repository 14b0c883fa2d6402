#include "sim/mig/placement.hpp"

#include <algorithm>

#include "sim/mig/instances.hpp"

namespace nvmlkit::sim::mig {
namespace {

using model::Gpu;
using model::MigInstance;
using model::MigProfile;

bool overlap(std::uint32_t a, std::uint32_t a_size, std::uint32_t b, std::uint32_t b_size) {
  return a < b + b_size && b < a + a_size;
}

// Calls `visit(start)` for every free placement of the profile.
template <class Visit>
void free_starts(const Gpu& gpu, const MigProfile& profile, Visit visit) {
  const auto size = profile.size.value_or(0);
  for (const auto start : profile.starts)
    if (is_free(gpu, start, size)) visit(start);
}

// Free placements, of any profile, that an instance there would take away.
std::uint32_t cost(const Gpu& gpu, std::uint32_t at, std::uint32_t size) {
  std::uint32_t taken = 0;
  for (const auto& profile : gpu.mig.profiles)
    free_starts(gpu, profile,
                [&](std::uint32_t start) { taken += overlap(at, size, start, profile.size.value_or(0)); });
  return taken;
}

// What instances share a GPU's supply of: the most that one profile has is all there is.
using Engine = model::Field<std::uint32_t> MigProfile::*;
constexpr Engine kEngines[] = {&MigProfile::sm, &MigProfile::dec, &MigProfile::enc, &MigProfile::jpeg,
                               &MigProfile::ofa};

std::uint32_t engine_capacity(const Gpu& gpu, const MigProfile& profile, Engine engine) {
  const auto each = (profile.*engine).value_or(0);
  if (each == 0) return UINT32_MAX;
  std::uint32_t all = 0, used = 0;
  for (const auto& other : gpu.mig.profiles) all = std::max(all, (other.*engine).value_or(0));
  for (const auto& instance : gpu.mig.instances)
    if (const auto* other = profile_of(gpu, instance)) used += (other->*engine).value_or(0);
  return used < all ? (all - used) / each : 0;
}

}  // namespace

std::optional<std::uint32_t> instance_id(const Gpu& gpu, std::uint32_t start, std::uint32_t size) {
  const auto slices = memory_slices(gpu);
  if (size == 0 || slices % size != 0 || start % size != 0 || start + size > slices) return {};
  const auto parts = slices / size;
  if (parts != 1 && parts != 2 && parts != 4 && parts != 8) return {};
  auto part = start / size;
  if (gpu.mig.upper_half_first.value_or(false)) part = (part + parts / 2) % parts;
  return parts - 1 + part;
}

bool possible(const MigProfile& profile, std::uint32_t start, std::uint32_t size) {
  return size == profile.size.value_or(0) &&
         std::find(profile.starts.begin(), profile.starts.end(), start) != profile.starts.end();
}

bool is_free(const Gpu& gpu, std::uint32_t start, std::uint32_t size) {
  for (const auto& instance : gpu.mig.instances)
    if (overlap(start, size, instance.start.value_or(0), size_of(gpu, instance))) return false;
  return true;
}

std::optional<std::uint32_t> best_start(const Gpu& gpu, const MigProfile& profile) {
  std::optional<std::uint32_t> best;
  std::uint32_t least = UINT32_MAX;
  free_starts(gpu, profile, [&](std::uint32_t start) {
    const auto taken = cost(gpu, start, profile.size.value_or(0));
    if (taken >= least) return;
    best = start;
    least = taken;
  });
  return best;
}

std::uint32_t capacity(const Gpu& gpu, const MigProfile& profile) {
  std::uint32_t places = 0, existing = 0;
  free_starts(gpu, profile, [&](std::uint32_t) { ++places; });
  for (const auto& instance : gpu.mig.instances) existing += profile_of(gpu, instance) == &profile;
  const auto allowed = profile.instances.value_or(0);
  auto left = std::min(places, allowed > existing ? allowed - existing : 0);
  for (const auto engine : kEngines) left = std::min(left, engine_capacity(gpu, profile, engine));
  return left;
}

std::uint32_t last_compute_start(const MigProfile& profile, const ComputeProfile& compute) {
  const auto slices = compute_slices(profile);
  return slices > compute.size ? slices - compute.size : 0;
}

bool is_free(const Gpu& gpu, const MigInstance& instance, std::uint32_t start, std::uint32_t size) {
  const auto* profile = profile_of(gpu, instance);
  if (!profile) return false;
  for (const auto& other : instance.compute_instances) {
    const auto compute = compute_profile_of(gpu, *profile, other);
    if (overlap(start, size, other.start.value_or(0), compute ? compute->size : 1)) return false;
  }
  return true;
}

std::optional<std::uint32_t> first_start(const Gpu& gpu, const MigInstance& instance, const ComputeProfile& compute) {
  const auto* profile = profile_of(gpu, instance);
  if (!profile) return {};
  for (std::uint32_t start = 0; start <= last_compute_start(*profile, compute); ++start)
    if (is_free(gpu, instance, start, compute.size)) return start;
  return {};
}

std::uint32_t capacity(const Gpu& gpu, const MigInstance& instance, const ComputeProfile& compute) {
  const auto* profile = profile_of(gpu, instance);
  if (!profile || compute.size == 0) return 0;
  std::uint32_t places = 0, sm = 0;
  for (std::uint32_t start = 0; start <= last_compute_start(*profile, compute);) {
    const bool fits = is_free(gpu, instance, start, compute.size);
    places += fits;
    start += fits ? compute.size : 1;
  }
  for (const auto& other : instance.compute_instances)
    if (const auto used = compute_profile_of(gpu, *profile, other)) sm += used->sm;
  const auto all = profile->sm.value_or(0);
  const auto by_sm = compute.sm == 0 ? places : sm < all ? (all - sm) / compute.sm : 0;
  return std::min({places, by_sm, compute.instances});
}

}  // namespace nvmlkit::sim::mig
