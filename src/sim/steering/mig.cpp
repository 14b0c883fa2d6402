#include "sim/steering/mig.hpp"

#include <utility>

#include "sim/mig/instances.hpp"
#include "sim/mig/placement.hpp"
#include "sim/setters/changes.hpp"
#include "sim/setters/mig.hpp"
#include "sim/steering/mig_problems.hpp"
#include "sim/steering/selector.hpp"
#include "sim/transaction/change.hpp"

namespace nvmlkit::sim::steering {
namespace {

using model::Gpu;
using setters::MigPlacement;
using setters::MigRefusal;

// One command on the copy of one GPU.
class MigEditor {
 public:
  MigEditor(const Machine& machine, std::size_t place, Gpu& changed)
      : machine_(machine), gpu_(machine.gpus()[place]), changed_(changed) {
    out_.gpu = place;
  }

  Expected<MigChange> apply(const MigCommand& command) {
    auto done = check_reach();
    if (done) done = change(command);
    return done ? Expected<MigChange>(std::move(out_)) : fail(std::move(done.error()));
  }

 private:
  Expected<void> check_reach() const {
    using faults::Availability;
    const auto availability = gpu_.faults.availability;
    if (availability == Availability::available || availability == Availability::reset_required) return {};
    return fail(impossible("the GPU is lost"));
  }

  Expected<void> change(const MigCommand& command) {
    switch (command.verb) {
      case MigVerb::enable:
      case MigVerb::disable:
        return done_or(setters::set_mig_mode(machine_, gpu_, changed_, command.verb == MigVerb::enable, out_.pending),
                       {});
      case MigVerb::create:
        return create(command);
      case MigVerb::destroy:
        return destroy(command);
      case MigVerb::clear:
        break;
    }
    while (!changed_.mig.instances.empty())
      if (auto done = destroy_instance((*changed_.mig.instances.begin()).id.value_or(0)); !done) return done;
    return {};
  }

  Expected<void> done_or(MigRefusal refusal, const MigSubject& about) const {
    if (refusal == MigRefusal::none) return {};
    return fail(mig_problem(machine_, gpu_, changed_, refusal, about));
  }

  // Wrong words are refused in any mode.
  Expected<void> check_profiles(const MigCommand& command) const {
    if (!mig::supported(changed_) || !command.instances.empty()) return {};
    for (const auto& word : command.profiles) {
      const auto* profile = gpu_profile_of(changed_, word.profile);
      if (!profile) return done_or(MigRefusal::no_profile, {.profile = &word});
      if (word.start && !mig::possible(*profile, *word.start, profile->size.value_or(0)))
        return done_or(MigRefusal::no_placement, {.profile = &word});
    }
    return {};
  }

  Expected<void> create(const MigCommand& command) {
    if (auto good = check_profiles(command); !good) return good;
    if (!mig::enabled(changed_)) return done_or(MigRefusal::not_supported, {});
    for (const auto& word : command.profiles) {
      auto done =
          command.instances.empty() ? create_instance(word, command) : create_compute(command.instances[0], word);
      if (!done) return done;
    }
    return {};
  }

  Expected<void> create_instance(const MigProfileWord& word, const MigCommand& command) {
    const auto* profile = gpu_profile_of(changed_, word.profile);
    if (!profile) return done_or(MigRefusal::no_profile, {.profile = &word});
    std::optional<MigPlacement> at;
    if (word.start) at = {*word.start, profile->size.value_or(0)};
    std::uint32_t id = 0;
    const auto refusal = setters::create_gpu_instance(machine_, gpu_, changed_, profile->id.value_or(0), at, id);
    if (refusal != MigRefusal::none) return done_or(refusal, {.profile = &word});
    out_.instances.push_back(id);
    if (command.bare) return {};
    if (command.computes.empty()) return create_whole(id, *profile);
    for (const auto& compute : command.computes)
      if (auto done = create_compute(id, compute); !done) return done;
    return {};
  }

  Expected<void> create_whole(std::uint32_t instance, const model::MigProfile& profile) {
    const auto profiles = mig::compute_profiles(changed_, profile);
    const auto* whole = profiles.whole();
    if (!whole) return {};
    const MigProfileWord word{std::to_string(whole->id), {}};
    return create_compute(instance, word);
  }

  Expected<void> create_compute(std::uint32_t instance, const MigProfileWord& word) {
    const auto* in = mig::find_instance(changed_, instance);
    const auto* profile = in ? mig::profile_of(changed_, *in) : nullptr;
    if (!profile) return done_or(MigRefusal::no_instance, {.instance = instance});
    const auto compute = compute_profile_of(changed_, *profile, word.profile);
    if (!compute) return fail(unknown_compute_profile(changed_, *profile, word.profile));
    std::optional<MigPlacement> at;
    if (word.start) at = {*word.start, compute->size};
    std::uint32_t id = 0;
    const auto refusal = setters::create_compute_instance(changed_, instance, compute->id, at, id);
    if (refusal != MigRefusal::none) return done_or(refusal, {.profile = &word, .instance = instance});
    out_.devices.push_back({instance, id});
    return {};
  }

  Expected<void> destroy(const MigCommand& command) {
    if (!mig::enabled(changed_)) return done_or(MigRefusal::not_supported, {});
    if (command.compute) return destroy_compute({command.instances[0], *command.compute});
    for (const auto id : command.instances)
      if (auto done = destroy_instance(id); !done) return done;
    return {};
  }

  Expected<void> destroy_instance(std::uint32_t id) {
    while (const auto* instance = mig::find_instance(changed_, id)) {
      if (instance->compute_instances.empty()) break;
      const mig::DeviceId device{id, (*instance->compute_instances.begin()).id.value_or(0)};
      if (auto done = destroy_compute(device); !done) return done;
    }
    auto done = done_or(setters::destroy_gpu_instance(machine_, gpu_, changed_, id), {.instance = id});
    if (done) out_.instances.push_back(id);
    return done;
  }

  Expected<void> destroy_compute(mig::DeviceId device) {
    auto done = done_or(setters::destroy_compute_instance(machine_, gpu_, changed_, device),
                        {.instance = device.instance, .compute = device.compute});
    if (done) out_.devices.push_back(device);
    return done;
  }

  const Machine& machine_;
  const Gpu& gpu_;
  Gpu& changed_;
  MigChange out_;
};

}  // namespace

Expected<MigChange> apply_mig(const Machine& machine, std::size_t place, const MigCommand& command, Gpu& changed) {
  auto done = MigEditor(machine, place, changed).apply(command);
  return done ? std::move(done) : fail(std::move(done.error()).of_gpu(static_cast<std::uint32_t>(place)));
}

Expected<std::vector<MigChange>> change_mig(const Machine& machine, const MigCommand& command) {
  const auto places = select_gpus(machine, command.gpus);
  if (!places) return fail(places.error());
  std::vector<MigChange> out;
  const auto done = transaction::change_gpus(machine, *places, [&](Gpu& gpu, std::size_t place) -> Expected<void> {
    auto one = apply_mig(machine, place, command, gpu);
    if (!one) return fail(std::move(one.error()));
    setters::raise_events(machine.gpus()[place], gpu);
    out.push_back(std::move(*one));
    return {};
  });
  return done ? Expected<std::vector<MigChange>>(std::move(out)) : fail(done.error());
}

}  // namespace nvmlkit::sim::steering
