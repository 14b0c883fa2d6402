// GPU instance profiles of a GPU, and the compute instance profiles that follow from them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/generated/model.hpp"

namespace nvmlkit::sim::mig {

// A profile without a name: no NVML_GPU_INSTANCE_PROFILE_* or NVML_COMPUTE_INSTANCE_PROFILE_* constant stands for it.
inline constexpr std::uint32_t kNoNumber = 0xFFFFFFFF;

bool supported(const model::Gpu& gpu);  // the GPU has MIG
bool enabled(const model::Gpu& gpu);    // and it is on now

// Null where the GPU has no such profile.
const model::MigProfile* profile_by_id(const model::Gpu& gpu, std::uint32_t id);
const model::MigProfile* profile_by_name(const model::Gpu& gpu, std::string_view name);
const model::MigProfile* profile_by_number(const model::Gpu& gpu, std::uint32_t number);

// The N of Ng: compute slices of an instance. 0 where the name does not tell.
std::uint32_t compute_slices(const model::MigProfile& profile);
bool has_graphics(const model::MigProfile& profile);

// The NVML_GPU_INSTANCE_PROFILE_* constant of a profile. A second profile of one slice is its REV2.
std::uint32_t number_of(const model::Gpu& gpu, const model::MigProfile& profile);

// Memory slices of the whole GPU.
std::uint32_t memory_slices(const model::Gpu& gpu);

// How many MIG devices there may be.
std::uint32_t max_devices(const model::Gpu& gpu);

// A compute instance profile of a GPU instance. Its id is its NVML_COMPUTE_INSTANCE_PROFILE_* constant.
struct ComputeProfile {
  std::uint32_t id = kNoNumber;
  std::uint32_t slices = 0;     // as NVML reports them
  std::uint32_t size = 0;       // slices that an instance takes from others
  std::uint32_t instances = 0;  // how many an empty GPU instance holds
  std::uint32_t sm = 0;
  bool whole = false;  // all of the GPU instance: named as that

  // Shares its name with the profile of one slice, and has the multiprocessors of more: 26 against 16 on Hopper.
  bool wide() const { return size != slices; }
};

// In the order of their constants; none if the profile's name contains no slices.
struct ComputeProfiles {
  std::array<ComputeProfile, 9> items;
  std::size_t count = 0;

  const ComputeProfile* begin() const { return items.data(); }
  const ComputeProfile* end() const { return items.data() + count; }
  const ComputeProfile* find(std::uint32_t id) const;
  const ComputeProfile* whole() const;
};
ComputeProfiles compute_profiles(const model::Gpu& gpu, const model::MigProfile& profile);

using Name = model::Text<32>;
Name compute_name(const model::MigProfile& profile, const ComputeProfile& compute);  // 1c.3g.40gb, or 3g.40gb

}  // namespace nvmlkit::sim::mig
