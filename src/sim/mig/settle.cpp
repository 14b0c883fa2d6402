// Makes instances with ids and places from the MIG section of a machine file.
#include <algorithm>
#include <memory>

#include "sim/mig/instances.hpp"
#include "sim/mig/placement.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::sim::mig {
namespace {

using model::Gpu;
using model::MigInstance;
using model::MigProfile;

constexpr std::string_view kInstances = "mig.instances";

template <class List, class Text>
std::string list_of(const List& list, Text text) {
  std::string out;
  for (const auto& item : list) {
    if (!out.empty()) out += ", ";
    out += text(item);
  }
  return out;
}

std::string starts_of(const MigProfile& profile) {
  return list_of(profile.starts, [](std::uint32_t start) { return std::to_string(start); });
}

std::string profiles_of(const Gpu& gpu) {
  return list_of(gpu.mig.profiles, [](const MigProfile& profile) { return std::string(profile.name->view()); });
}

Problem unknown_profile(std::string_view given, const std::string& names) {
  return {.kind = ProblemKind::unknown_name, .what = "unknown profile " + quote(given), .expected = "one of " + names};
}

Expected<void> check_profile(const Gpu& gpu, const MigProfile& profile, std::uint32_t slices) {
  const auto name = quote(profile.name->view());
  if (compute_slices(profile) == 0)
    return fail({.what = "name: expected as 1g.10gb, with 1 to 8 compute slices", .given = name});
  for (const auto& other : gpu.mig.profiles) {
    if (&other == &profile) break;
    if (other.name->view() == profile.name->view())
      return fail({.kind = ProblemKind::duplicate, .what = "name: another profile is named " + name});
    if (*other.id == *profile.id)
      return fail({.kind = ProblemKind::duplicate,
                   .what = "id: " + std::to_string(*profile.id) + " is the id of " + quote(other.name->view())});
  }
  if (profile.starts.empty())
    return fail(
        {.kind = ProblemKind::missing, .what = "starts: expected a memory slice that " + name + " may start at"});
  for (const auto start : profile.starts)
    if (!instance_id(gpu, start, *profile.size))
      return fail({.what = "starts: " + name + " with " + std::to_string(*profile.size) + " of " +
                           std::to_string(slices) + " memory slices cannot start at " + std::to_string(start),
                   .expected = "halves, quarters or eighths"});
  return {};
}

Problem wrong_placement(const Gpu& gpu, const MigProfile& profile, const MigInstance& said, Refusal refusal) {
  const std::string name = quote(profile.name->view());
  if (refusal == Refusal::invalid)
    return {.what = name + " cannot start at memory slice " + std::to_string(*said.start),
            .expected = starts_of(profile)};
  if (said.start && !is_free(gpu, *said.start, *profile.size))
    return contradiction(name + " at memory slice " + std::to_string(*said.start) + " overlaps another instance");
  return contradiction("no room for " + name + " beside the other instances");
}

// Makes one compute instance as the file says it.
Expected<void> add_compute(Gpu& gpu, MigInstance& made, const model::MigComputeInstance& wanted) {
  const auto& profile = *profile_of(gpu, made);
  const auto compute = compute_profile_of(gpu, profile, wanted);
  if (!compute) {
    const auto names = list_of(compute_profiles(gpu, profile),
                               [&](const ComputeProfile& c) { return std::string(compute_name(profile, c).view()); });
    return fail(unknown_profile(wanted.profile->view(), names));
  }
  std::uint32_t id = 0;
  const auto start = wanted.start ? std::optional(*wanted.start) : std::nullopt;
  if (create_compute(gpu, made, *compute, start, id) != Refusal::none)
    return fail(contradiction("no room for " + quote(wanted.profile->view()) +
                              (start ? " at compute slice " + std::to_string(*start) : std::string()) + " in " +
                              quote(profile.name->view())));
  if (wanted.id && *wanted.id != id) {
    if (find_compute(made, *wanted.id))
      return fail(
          {.kind = ProblemKind::duplicate, .what = "another compute instance has id " + std::to_string(*wanted.id)});
    change_compute_id(made, id, *wanted.id);
    id = *wanted.id;
  }
  find_compute(made, id)->uuid = wanted.uuid;
  return {};
}

// Compute instances as the file says them into an instance that has none; `item` is its place in the list.
Expected<void> add_all_compute(Gpu& gpu, MigInstance& made, const MigInstance& said, std::uint32_t item) {
  const auto& profile = *profile_of(gpu, made);
  if (said.compute_instances.empty() && !said.bare.value_or(false)) {
    const auto profiles = compute_profiles(gpu, profile);
    const auto* whole = profiles.whole();
    std::uint32_t id = 0;
    if (!whole || create_compute(gpu, made, *whole, {}, id) != Refusal::none)
      return fail(
          contradiction("no compute instance has all of " + quote(profile.name->view())).of_item(kInstances, item));
  }
  std::uint32_t at = 0;
  for (const auto& wanted : said.compute_instances) {
    if (auto good = add_compute(gpu, made, wanted); !good) {
      auto problem = std::move(good.error()).of_item(kInstances, item);
      problem.part = {{item, "compute_instances"}, {at, {}}};
      return fail(std::move(problem));
    }
    ++at;
  }
  return {};
}

Expected<void> add_instance(Gpu& gpu, const MigInstance& said, std::uint32_t item) {
  const auto refuse = [&](Problem problem) { return fail(std::move(problem).of_item(kInstances, item)); };
  const auto* profile = profile_of(gpu, said);
  if (!profile) return refuse(unknown_profile(said.profile->view(), profiles_of(gpu)));
  std::uint32_t id = 0;
  const auto refusal = create_instance(gpu, *profile, said.start ? std::optional(*said.start) : std::nullopt, id);
  if (refusal != Refusal::none) return refuse(wrong_placement(gpu, *profile, said, refusal));
  auto& made = *find_instance(gpu, id);
  if (said.id && *said.id != id)
    return refuse(
        contradiction("id " + std::to_string(id) + ", which memory slice " + std::to_string(*made.start) + " gives",
                      std::to_string(*said.id)));
  made.sram_uncorrectable = said.sram_uncorrectable.value_or(0);
  made.idle_kib = said.idle_kib;
  return add_all_compute(gpu, made, said, item);
}

Expected<void> check_profiles(const Gpu& gpu) {
  const auto slices = memory_slices(gpu);
  std::uint32_t item = 0;
  for (const auto& profile : gpu.mig.profiles) {
    if (auto good = check_profile(gpu, profile, slices); !good)
      return fail(std::move(good.error()).of_item("mig.profiles", item));
    ++item;
  }
  return {};
}

}  // namespace

Expected<void> settle(Gpu& gpu) {
  if (auto good = check_profiles(gpu); !good || gpu.mig.instances.empty()) return good;
  if (!supported(gpu)) return fail(impossible("this GPU has no MIG profiles").of_item(kInstances, 0));
  if (!enabled(gpu)) return fail(missing("mode_current: enabled").of_item(kInstances, 0));
  const auto said = std::make_unique<decltype(gpu.mig.instances)>(gpu.mig.instances);
  gpu.mig.instances.clear();
  Expected<void> settled;
  for (const bool placed : {true, false}) {  // what says its place comes before what may go anywhere
    std::uint32_t item = 0;
    for (const auto& instance : *said) {
      if (settled && instance.start.present == placed) settled = add_instance(gpu, instance, item);
      ++item;
    }
  }
  if (!settled) gpu.mig.instances = *said;
  return settled;
}

Expected<void> check(const Gpu& gpu) {
  if (gpu.mig.instances.empty()) return check_profiles(gpu);
  const auto copy = std::make_unique<Gpu>(gpu);
  return settle(*copy);
}

}  // namespace nvmlkit::sim::mig
