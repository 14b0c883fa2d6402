#include "smi_log/mig_match.hpp"

#include "sim/mig/devices.hpp"
#include "sim/mig/instances.hpp"
#include "sim/mig/placement.hpp"

namespace nvmlkit::smi_log {
namespace {

using sim::model::Gpu;
using sim::model::MigProfile;

std::optional<std::uint32_t> start_of(const Gpu& gpu, const MigProfile& profile, std::uint32_t id) {
  for (const auto start : profile.starts)
    if (sim::mig::instance_id(gpu, start, *profile.size) == id) return start;
  return {};
}

// How well the profile explains the instance.
int score_of(const Gpu& gpu, const ListedGpu* listing, const Instance& instance, const MigProfile& profile) {
  const auto& first = *instance.devices.front();
  int score = listed_profile(listing, instance) == profile.name->view() ? 40 : 0;
  std::uint64_t sm = 0;
  for (const auto* device : instance.devices) sm += device->sm.value_or(0);
  const auto own = profile.sm.value_or(0);
  score += sm == own ? 8 : sm < own ? -2 : -10;
  if (instance.devices.size() > 1)
    for (const auto& compute : sim::mig::compute_profiles(gpu, profile)) score += compute.sm == first.sm ? 2 : 0;
  if (first.total) score += *first.total == profile.memory_mib.value_or(0) ? 6 : 0;
  const auto same = [&](const std::optional<std::uint64_t>& shown, std::uint32_t told) {
    score += shown && *shown == told ? 1 : 0;
  };
  same(first.ce, profile.ce.value_or(0));
  same(first.dec, profile.dec.value_or(0));
  same(first.enc, profile.enc.value_or(0));
  same(first.jpeg, profile.jpeg.value_or(0));
  same(first.ofa, profile.ofa.value_or(0));
  return score;
}

}  // namespace

std::string listed_profile(const ListedGpu* listing, const Instance& instance) {
  if (listing == nullptr) return {};
  const auto at = listing->mig.find(instance.devices.front()->index);
  if (at == listing->mig.end()) return {};
  const auto& name = at->second.profile;
  return name.size() > 3 && name[1] == 'c' && name[2] == '.' ? name.substr(3) : name;
}

int choose_profile(Gpu& gpu, const ListedGpu* listing, Instance& instance) {
  constexpr int kNone = -1000;
  int best = kNone;
  instance.profile = nullptr;
  for (auto& profile : gpu.mig.profiles.span()) {
    const auto start = start_of(gpu, profile, instance.id);
    if (!start) continue;
    const int score = score_of(gpu, listing, instance, profile) + 100;
    if (score <= best) continue;
    best = score;
    instance.profile = &profile;
    instance.start = *start;
  }
  return best == kNone ? 0 : best;
}

}  // namespace nvmlkit::smi_log
