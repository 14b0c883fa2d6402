#include "sim/mig/profiles.hpp"

#include <algorithm>
#include <cstring>

namespace nvmlkit::sim::mig {
namespace {

using model::ComputeInstanceProfile;
using model::Gpu;
using model::GpuInstanceProfile;
using model::MigProfile;

std::string_view name_of(const MigProfile& profile) { return profile.name ? profile.name->view() : std::string_view(); }

// What stands behind the memory size: "", "+me", "-me", "+gfx", "+me.all".
std::string_view attribute_of(const MigProfile& profile) {
  const auto name = name_of(profile);
  const auto at = name.find_first_of("+-");
  return at == std::string_view::npos ? std::string_view() : name.substr(at);
}

template <class Matches>
const MigProfile* find(const Gpu& gpu, Matches matches) {
  for (const auto& profile : gpu.mig.profiles)
    if (matches(profile)) return &profile;
  return nullptr;
}

// The plain profile of so many slices with the least memory.
const MigProfile* plain(const Gpu& gpu, std::uint32_t slices) {
  const MigProfile* best = nullptr;
  for (const auto& profile : gpu.mig.profiles) {
    if (compute_slices(profile) != slices || !attribute_of(profile).empty()) continue;
    if (!best || profile.memory_mib.value_or(0) < best->memory_mib.value_or(0)) best = &profile;
  }
  return best;
}

std::uint32_t sm_of_slices(const Gpu& gpu, std::uint32_t slices) {
  if (const auto* profile = plain(gpu, slices)) return profile->sm.value_or(0);
  const auto* one = plain(gpu, 1);
  return one ? one->sm.value_or(0) * slices : 0;
}

// Multiprocessors of one slice with the memory of two, where they are more than those of one slice: Hopper and newer.
std::uint32_t sm_of_wide_slice(const Gpu& gpu) {
  const auto* one = plain(gpu, 1);
  if (!one) return 0;
  for (const auto& profile : gpu.mig.profiles)
    if (compute_slices(profile) == 1 && attribute_of(profile).empty() && profile.sm.value_or(0) > one->sm.value_or(0))
      return *profile.sm;
  return 0;
}

struct Number {
  std::uint32_t slices;
  std::string_view attribute;
  std::uint32_t number;
};
constexpr Number kNumbers[] = {
    {1, "", GpuInstanceProfile::slices_1},
    {2, "", GpuInstanceProfile::slices_2},
    {3, "", GpuInstanceProfile::slices_3},
    {4, "", GpuInstanceProfile::slices_4},
    {6, "", GpuInstanceProfile::slices_6},
    {7, "", GpuInstanceProfile::slices_7},
    {8, "", GpuInstanceProfile::slices_8},
    {1, "+me", GpuInstanceProfile::slices_1_rev1},
    {2, "+me", GpuInstanceProfile::slices_2_rev1},
    {1, "+gfx", GpuInstanceProfile::slices_1_gfx},
    {2, "+gfx", GpuInstanceProfile::slices_2_gfx},
    {3, "+gfx", GpuInstanceProfile::slices_3_gfx},
    {4, "+gfx", GpuInstanceProfile::slices_4_gfx},
    {1, "-me", GpuInstanceProfile::slices_1_no_me},
    {2, "-me", GpuInstanceProfile::slices_2_no_me},
    {1, "+me.all", GpuInstanceProfile::slices_1_all_me},
    {2, "+me.all", GpuInstanceProfile::slices_2_all_me},
};

struct ComputeKind {
  std::uint32_t slices, id;
};
constexpr ComputeKind kComputeKinds[] = {
    // in the order of their ids
    {1, ComputeInstanceProfile::slices_1}, {2, ComputeInstanceProfile::slices_2}, {3, ComputeInstanceProfile::slices_3},
    {4, ComputeInstanceProfile::slices_4}, {7, ComputeInstanceProfile::slices_7}, {8, ComputeInstanceProfile::slices_8},
    {6, ComputeInstanceProfile::slices_6},
};

// Parts of three or four slices there are only of a whole GPU.
bool offered(std::uint32_t part, std::uint32_t whole) {
  return part == whole || (part < whole && (part <= 2 || whole >= 7));
}

}  // namespace

bool supported(const Gpu& gpu) { return gpu.mig.mode_current && !gpu.mig.profiles.empty(); }

bool enabled(const Gpu& gpu) { return supported(gpu) && *gpu.mig.mode_current == model::EnableState::enabled; }

const MigProfile* profile_by_id(const Gpu& gpu, std::uint32_t id) {
  return find(gpu, [&](const MigProfile& profile) { return profile.id && *profile.id == id; });
}

const MigProfile* profile_by_name(const Gpu& gpu, std::string_view name) {
  return find(gpu, [&](const MigProfile& profile) { return name_of(profile) == name; });
}

const MigProfile* profile_by_number(const Gpu& gpu, std::uint32_t number) {
  return find(gpu, [&](const MigProfile& profile) { return number_of(gpu, profile) == number; });
}

std::uint32_t compute_slices(const MigProfile& profile) {
  const auto name = name_of(profile);
  const bool tells = name.size() > 2 && name[0] >= '1' && name[0] <= '8' && name[1] == 'g';
  return tells ? static_cast<std::uint32_t>(name[0] - '0') : 0;
}

bool has_graphics(const MigProfile& profile) { return attribute_of(profile) == "+gfx"; }

std::uint32_t number_of(const Gpu& gpu, const MigProfile& profile) {
  const auto slices = compute_slices(profile);
  const auto attribute = attribute_of(profile);
  if (slices == 1 && attribute.empty())
    if (const auto* least = plain(gpu, 1); least && profile.memory_mib.value_or(0) > least->memory_mib.value_or(0))
      return GpuInstanceProfile::slices_1_rev2;
  for (const auto& known : kNumbers)
    if (known.slices == slices && known.attribute == attribute) return known.number;
  return kNoNumber;
}

std::uint32_t memory_slices(const Gpu& gpu) {
  std::uint32_t slices = 0;
  for (const auto& profile : gpu.mig.profiles)
    for (const auto start : profile.starts) slices = std::max(slices, start + profile.size.value_or(0));
  return slices;
}

std::uint32_t max_devices(const Gpu& gpu) {
  if (gpu.mig.max_gpu_instances) return *gpu.mig.max_gpu_instances;
  std::uint32_t most = 0;
  for (const auto& profile : gpu.mig.profiles) most = std::max(most, profile.instances.value_or(0));
  return most;
}

const ComputeProfile* ComputeProfiles::find(std::uint32_t id) const {
  for (const auto& profile : *this)
    if (profile.id == id) return &profile;
  return nullptr;
}

const ComputeProfile* ComputeProfiles::whole() const {
  for (const auto& profile : *this)
    if (profile.whole) return &profile;
  return nullptr;
}

ComputeProfiles compute_profiles(const Gpu& gpu, const MigProfile& profile) {
  ComputeProfiles out;
  const auto add = [&](ComputeProfile compute) {
    if (out.count < out.items.size()) out.items[out.count++] = compute;
  };
  const auto slices = compute_slices(profile);
  const auto sm = profile.sm.value_or(0);
  const auto wide = sm_of_wide_slice(gpu);
  const bool is_wide = slices == 1 && wide != 0 && sm == wide;  // two profiles of one slice, narrow and wide
  for (const auto& kind : kComputeKinds) {
    if (!offered(kind.slices, slices)) continue;
    const bool whole = kind.slices == slices && !is_wide;
    add({kind.id, kind.slices, kind.slices, slices / kind.slices, whole ? sm : sm_of_slices(gpu, kind.slices), whole});
  }
  constexpr auto kWideId = ComputeInstanceProfile::slices_1_rev1;
  if (is_wide)
    add({kWideId, 1, 1, 1, sm, true});
  else if (slices >= 2 && wide != 0)
    add({kWideId, 1, 2, slices / 2, wide, false});
  return out;
}

Name compute_name(const MigProfile& profile, const ComputeProfile& compute) {
  const auto name = name_of(profile);
  if (compute.whole) return Name(name);
  char text[Name::max_size() + 1] = {static_cast<char>('0' + compute.slices % 10), 'c', '.'};
  std::memcpy(text + 3, name.data(), std::min(name.size(), Name::max_size() - 3));
  return Name(std::string_view(text));
}

}  // namespace nvmlkit::sim::mig
