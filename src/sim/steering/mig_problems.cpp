#include "sim/steering/mig_problems.hpp"

#include <vector>

#include "sim/mig/instances.hpp"
#include "sim/mig/placement.hpp"
#include "sim/problem/names.hpp"
#include "sim/processes/clients.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::sim::steering {
namespace {

using model::Gpu;
using setters::MigRefusal;

std::string place_name(const Machine& machine, const Gpu& gpu) {
  return "gpu=" + std::to_string(machine.index_of(gpu));
}

void add(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

std::string named(std::uint32_t pid, std::string_view name) {
  return "process " + std::to_string(pid) + (name.empty() ? "" : " (" + std::string(name) + ")");
}

Problem mode_is_off(const Machine& machine, const Gpu& gpu, const Gpu& changed) {
  if (!mig::supported(changed)) return impossible("the GPU has no MIG");
  if (changed.mig.mode_pending && *changed.mig.mode_pending == model::EnableState::enabled)
    return {.kind = ProblemKind::impossible,
            .what = "MIG mode is pending until the GPU is reset",
            .hint = "nvidia-smi -r resets a GPU that nothing uses"};
  return {.kind = ProblemKind::impossible,
          .what = "MIG mode is disabled",
          .hint = "nvmlkit mig enable " + place_name(machine, gpu)};
}

Problem no_instance(const Gpu& changed, const MigSubject& about) {
  const auto* in = about.instance ? mig::find_instance(changed, *about.instance) : nullptr;
  if (in != nullptr && about.compute) {
    std::string computes;
    for (const auto& each : in->compute_instances) add(computes, std::to_string(each.id.value_or(0)));
    return {.kind = ProblemKind::impossible,
            .what = "GPU instance " + std::to_string(*about.instance) + " has no compute instance " +
                    std::to_string(*about.compute),
            .hint = computes.empty() ? "it has none" : "it has " + computes};
  }
  const auto all = instances_of(changed);
  return {.kind = ProblemKind::impossible,
          .what = "no GPU instance " + std::to_string(about.instance.value_or(0)),
          .hint = all.empty() ? "the GPU has none" : "the GPU has " + all};
}

// The slices that an instance may start at.
Problem no_placement(const Gpu& changed, const MigSubject& about) {
  const auto given = std::to_string(about.profile->start.value_or(0));
  std::string starts;
  if (about.instance) {
    starts = "a lower compute slice";
  } else if (const auto* profile = gpu_profile_of(changed, about.profile->profile)) {
    for (const auto start : profile->starts) add(starts, std::to_string(start));
    starts = "one of the memory slices " + starts;
  }
  return wrong_value(starts + " as the start of " + about.profile->profile, given);
}

// The instance that lies on the slices, if a start was asked for.
std::string blocker_of(const Gpu& changed, const MigProfileWord& word) {
  const auto* profile = gpu_profile_of(changed, word.profile);
  if (!profile || !word.start) return {};
  const auto begin = *word.start, end = begin + profile->size.value_or(0);
  for (const auto& other : changed.mig.instances) {
    const auto at = other.start.value_or(0);
    if (at < end && begin < at + mig::size_of(changed, other))
      return "GPU instance " + std::to_string(other.id.value_or(0)) + " (" + std::string(other.profile->view()) +
             ") is there";
  }
  return {};
}

std::string compute_room_of(const Gpu& changed, std::uint32_t id) {
  const auto* instance = mig::find_instance(changed, id);
  const auto* profile = instance ? mig::profile_of(changed, *instance) : nullptr;
  std::string out;
  if (!profile) return out;
  for (const auto& compute : mig::compute_profiles(changed, *profile))
    if (const auto left = mig::capacity(changed, *instance, compute); left > 0)
      add(out, std::to_string(left) + " x " + std::string(mig::compute_name(*profile, compute).view()));
  return out;
}

Problem no_room(const Gpu& changed, const MigSubject& about) {
  auto what = "no room for " + about.profile->profile;
  if (about.profile->start) what += " at slice " + std::to_string(*about.profile->start);
  if (about.instance) what += " in GPU instance " + std::to_string(*about.instance);
  if (const auto blocker = about.instance ? "" : blocker_of(changed, *about.profile); !blocker.empty())
    what += ": " + blocker;
  const auto room = about.instance ? compute_room_of(changed, *about.instance) : room_of(changed);
  return {.kind = ProblemKind::impossible,
          .what = what,
          .hint = room.empty() ? "nothing is free" : "there is room for " + room};
}

Problem in_use(const Machine& machine, const Gpu& gpu, const MigSubject& about) {
  const auto user = user_of(machine, gpu, about.profile ? processes::kNoInstance : about.instance, about.compute);
  std::string what = about.profile                ? "the GPU"
                     : about.compute              ? "compute instance " + std::to_string(*about.compute)
                     : about.instance.has_value() ? "GPU instance " + std::to_string(*about.instance)
                                                  : "the GPU";
  if (about.compute) what += " of GPU instance " + std::to_string(about.instance.value_or(0));
  return {.kind = ProblemKind::impossible,
          .what = what + " is in use by " + (user.empty() ? "a vGPU" : user),
          .hint = user.empty() ? "nvmlkit vgpu list" : "end it first"};
}

}  // namespace

Problem mig_problem(const Machine& machine, const Gpu& gpu, const Gpu& changed, MigRefusal refusal,
                    const MigSubject& about) {
  switch (refusal) {
    case MigRefusal::none:
    case MigRefusal::not_supported:
      break;
    case MigRefusal::no_profile:
      return unknown_gpu_profile(changed, about.profile ? about.profile->profile : "");
    case MigRefusal::no_instance:
      return mig::enabled(changed) ? no_instance(changed, about) : mode_is_off(machine, gpu, changed);
    case MigRefusal::no_placement:
      return no_placement(changed, about);
    case MigRefusal::insufficient:
      return no_room(changed, about);
    case MigRefusal::in_use:
      return in_use(machine, gpu, about);
  }
  return mode_is_off(machine, gpu, changed);
}

const model::MigProfile* gpu_profile_of(const Gpu& gpu, std::string_view word) {
  if (const auto id = text::number_of<std::uint32_t>(word)) return mig::profile_by_id(gpu, *id);
  return mig::profile_by_name(gpu, word);
}

// Two may have one name; then the whole GPU instance is meant.
std::optional<mig::ComputeProfile> compute_profile_of(const Gpu& gpu, const model::MigProfile& profile,
                                                      std::string_view word) {
  const auto profiles = mig::compute_profiles(gpu, profile);
  const auto id = text::number_of<std::uint32_t>(word);
  const auto* found = id ? profiles.find(*id) : nullptr;
  for (const auto& compute : profiles)
    if (!id && mig::compute_name(profile, compute).view() == word && (!found || compute.whole)) found = &compute;
  return found ? std::optional(*found) : std::nullopt;
}

Problem unknown_gpu_profile(const Gpu& gpu, std::string_view given) {
  std::vector<std::string_view> names;
  for (const auto& profile : gpu.mig.profiles) names.push_back(profile.name->view());
  return unknown_name("profile", given, names);
}

Problem unknown_compute_profile(const Gpu& gpu, const model::MigProfile& profile, std::string_view given) {
  std::vector<mig::Name> names;
  for (const auto& compute : mig::compute_profiles(gpu, profile)) names.push_back(mig::compute_name(profile, compute));
  std::vector<std::string_view> views;
  for (const auto& name : names) views.push_back(name.view());
  return unknown_name("compute instance profile", given, views);
}

std::string user_of(const Machine& machine, const Gpu& gpu, std::optional<std::uint32_t> instance,
                    std::optional<std::uint32_t> compute) {
  const auto matches = [&](std::uint32_t on, std::uint32_t in) {
    return (!instance || on == *instance) && (!compute || in == *compute);
  };
  for (const auto& process : gpu.processes)
    if (matches(process.gpu_instance.value_or(processes::kNoInstance), process.compute_instance.value_or(0)))
      return named(process.pid.value_or(0), process.name ? process.name->view() : std::string_view());
  std::string out;
  processes::for_each_client(machine, machine.index_of(gpu), [&](const processes::Client& client, processes::Life) {
    if (out.empty() && matches(client.gpu_instance, client.compute_instance))
      out = named(client.pid, client.name.view());
  });
  return out;
}

std::string room_of(const Gpu& gpu) {
  std::string out;
  for (const auto& profile : gpu.mig.profiles)
    if (const auto left = mig::capacity(gpu, profile); left > 0)
      add(out, std::to_string(left) + " x " + std::string(profile.name->view()));
  return out;
}

std::string instances_of(const Gpu& gpu) {
  std::string out;
  for (const auto& instance : gpu.mig.instances)
    add(out, std::to_string(instance.id.value_or(0)) + " (" + std::string(instance.profile->view()) + ")");
  return out;
}

}  // namespace nvmlkit::sim::steering
