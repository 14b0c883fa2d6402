#include "sim/setters/mig.hpp"

#include "sim/mig/instances.hpp"
#include "sim/processes/occupants.hpp"
#include "sim/setters/reset.hpp"
#include "sim/vgpu/instances.hpp"

namespace nvmlkit::sim::setters {
namespace {

using model::Gpu;

MigRefusal refusal_of(mig::Refusal refusal) {
  switch (refusal) {
    case mig::Refusal::none:
      return MigRefusal::none;
    case mig::Refusal::invalid:
      return MigRefusal::no_placement;
    case mig::Refusal::insufficient:
      break;
  }
  return MigRefusal::insufficient;
}

std::optional<std::uint32_t> start_of(const std::optional<MigPlacement>& placement) {
  return placement ? std::optional(placement->start) : std::nullopt;
}

}  // namespace

MigRefusal set_mig_mode(const Machine& machine, const Gpu& gpu, Gpu& changed, bool enable, bool& pending) {
  pending = false;
  if (!mig::supported(changed)) return MigRefusal::not_supported;
  const auto wanted = enable ? model::EnableState::enabled : model::EnableState::disabled;
  changed.mig.mode_pending = wanted;
  if (*changed.mig.mode_current == wanted) return MigRefusal::none;
  if (processes::any_process(machine, gpu) || !changed.mig.instances.empty()) {
    pending = true;
    return MigRefusal::none;
  }
  if (!changed.mig.resetless.value_or(false)) reset_gpu(changed);
  changed.mig.mode_current = wanted;
  return MigRefusal::none;
}

MigRefusal create_gpu_instance(const Machine& machine, const Gpu& gpu, Gpu& changed, std::uint32_t profile_id,
                               const std::optional<MigPlacement>& placement, std::uint32_t& id) {
  if (!mig::enabled(changed)) return MigRefusal::not_supported;
  const auto* profile = mig::profile_by_id(changed, profile_id);
  if (!profile) return MigRefusal::no_profile;
  if (placement && placement->size != profile->size.value_or(0)) return MigRefusal::no_placement;
  if (processes::process_outside(machine, gpu)) return MigRefusal::in_use;
  return refusal_of(mig::create_instance(changed, *profile, start_of(placement), id));
}

MigRefusal create_compute_instance(Gpu& changed, std::uint32_t instance, std::uint32_t profile_id,
                                   const std::optional<MigPlacement>& placement, std::uint32_t& id) {
  auto* in = mig::enabled(changed) ? mig::find_instance(changed, instance) : nullptr;
  const auto* profile = in ? mig::profile_of(changed, *in) : nullptr;
  if (!profile) return MigRefusal::no_instance;
  const auto profiles = mig::compute_profiles(changed, *profile);
  const auto* compute = profiles.find(profile_id);
  if (!compute) return MigRefusal::no_profile;
  if (placement && placement->size != compute->size) return MigRefusal::no_placement;
  return refusal_of(mig::create_compute(changed, *in, *compute, start_of(placement), id));
}

MigRefusal destroy_gpu_instance(const Machine& machine, const Gpu& gpu, Gpu& changed, std::uint32_t instance) {
  const auto* found = mig::enabled(changed) ? mig::find_instance(changed, instance) : nullptr;
  if (!found) return MigRefusal::no_instance;
  if (!found->compute_instances.empty() || processes::process_on(machine, gpu, instance)) return MigRefusal::in_use;
  mig::destroy_instance(changed, instance);
  vgpu::forget_settings(changed, instance);
  return MigRefusal::none;
}

MigRefusal destroy_compute_instance(const Machine& machine, const Gpu& gpu, Gpu& changed, mig::DeviceId device) {
  if (!mig::find_device(changed, device)) return MigRefusal::no_instance;
  if (processes::process_on(machine, gpu, device)) return MigRefusal::in_use;
  mig::destroy_compute(*mig::find_instance(changed, device.instance), device.compute);
  return MigRefusal::none;
}

}  // namespace nvmlkit::sim::setters
