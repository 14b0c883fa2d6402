// Makes instances with ids and places from the MIG section of a machine file.
#include <algorithm>
#include <memory>

#include "sim/mig/instances.hpp"
#include "sim/mig/placement.hpp"

namespace nvmlkit::sim::mig {
namespace {

using model::Gpu;
using model::MigInstance;
using model::MigProfile;

std::string quoted(std::string_view text) {
  std::string out = "'";
  out += text;
  return out += "'";
}

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

// What is wrong with one profile, empty if nothing is.
std::string wrong_with(const Gpu& gpu, const MigProfile& profile, std::uint32_t slices) {
  const auto name = profile.name->view();
  if (compute_slices(profile) == 0) return "name: expected as 1g.10gb, with 1 to 8 compute slices, got " + quoted(name);
  for (const auto& other : gpu.mig.profiles) {
    if (&other == &profile) break;
    if (other.name->view() == name) return "name: another profile is named " + quoted(name);
    if (*other.id == *profile.id)
      return "id: " + std::to_string(*profile.id) + " is the id of " + quoted(other.name->view());
  }
  if (profile.starts.empty()) return "starts: expected a memory slice that " + quoted(name) + " may start at";
  for (const auto start : profile.starts)
    if (!instance_id(gpu, start, *profile.size))
      return "starts: " + quoted(name) + " with " + std::to_string(*profile.size) + " of " + std::to_string(slices) +
             " memory slices cannot start at " + std::to_string(start) + "; expected halves, quarters or eighths";
  return {};
}

std::string wrong_placement(const Gpu& gpu, const MigProfile& profile, const MigInstance& said, Refusal refusal) {
  const std::string name = quoted(profile.name->view());
  if (refusal == Refusal::invalid)
    return name + " cannot start at memory slice " + std::to_string(*said.start) + "; expected " + starts_of(profile);
  if (said.start && !is_free(gpu, *said.start, *profile.size))
    return name + " at memory slice " + std::to_string(*said.start) + " overlaps another instance";
  return "no room for " + name + " beside the other instances";
}

// Makes the file's compute instances in an instance without any.
std::optional<Problem> add_compute(Gpu& gpu, MigInstance& made, const MigInstance& said, std::uint32_t item) {
  const auto& profile = *profile_of(gpu, made);
  const auto problem = [&](std::optional<std::uint32_t> at, std::string message) {
    return Problem{"instances", item, at, std::move(message)};
  };
  std::uint32_t id = 0;
  if (said.compute_instances.empty() && !said.bare.value_or(false)) {
    const auto profiles = compute_profiles(gpu, profile);
    const auto* whole = profiles.whole();
    if (!whole || create_compute(gpu, made, *whole, {}, id) != Refusal::none)
      return problem({}, "no compute instance has all of " + quoted(profile.name->view()));
  }
  std::uint32_t at = 0;
  for (const auto& wanted : said.compute_instances) {
    const auto compute = compute_profile_of(gpu, profile, wanted);
    if (!compute) {
      const auto names = list_of(compute_profiles(gpu, profile),
                                 [&](const ComputeProfile& c) { return std::string(compute_name(profile, c).view()); });
      return problem(at, "unknown profile " + quoted(wanted.profile->view()) + "; expected one of " + names);
    }
    const auto start = wanted.start ? std::optional(*wanted.start) : std::nullopt;
    if (create_compute(gpu, made, *compute, start, id) != Refusal::none)
      return problem(at, "no room for " + quoted(wanted.profile->view()) +
                             (start ? " at compute slice " + std::to_string(*start) : std::string()) + " in " +
                             quoted(profile.name->view()));
    if (wanted.id && *wanted.id != id) {
      if (find_compute(made, *wanted.id))
        return problem(at, "another compute instance has id " + std::to_string(*wanted.id));
      change_compute_id(made, id, *wanted.id);
      id = *wanted.id;
    }
    find_compute(made, id)->uuid = wanted.uuid;
    ++at;
  }
  return {};
}

std::optional<Problem> add_instance(Gpu& gpu, const MigInstance& said, std::uint32_t item) {
  const auto problem = [&](std::string message) { return Problem{"instances", item, {}, std::move(message)}; };
  const auto* profile = profile_of(gpu, said);
  if (!profile)
    return problem("unknown profile " + quoted(said.profile->view()) + "; expected one of " + profiles_of(gpu));
  std::uint32_t id = 0;
  const auto refusal = create_instance(gpu, *profile, said.start ? std::optional(*said.start) : std::nullopt, id);
  if (refusal != Refusal::none) return problem(wrong_placement(gpu, *profile, said, refusal));
  auto& made = *find_instance(gpu, id);
  if (said.id && *said.id != id)
    return problem("expected id " + std::to_string(id) + ", which memory slice " + std::to_string(*made.start) +
                   " gives, got " + std::to_string(*said.id));
  made.sram_uncorrectable = said.sram_uncorrectable.value_or(0);
  made.idle_kib = said.idle_kib;
  return add_compute(gpu, made, said, item);
}

std::optional<Problem> check_profiles(const Gpu& gpu) {
  const auto slices = memory_slices(gpu);
  std::uint32_t item = 0;
  for (const auto& profile : gpu.mig.profiles) {
    if (auto wrong = wrong_with(gpu, profile, slices); !wrong.empty()) return Problem{"profiles", item, {}, wrong};
    ++item;
  }
  return {};
}

}  // namespace

std::optional<Problem> settle(Gpu& gpu) {
  if (auto problem = check_profiles(gpu)) return problem;
  if (gpu.mig.instances.empty()) return {};
  if (!supported(gpu)) return Problem{"instances", 0, {}, "this GPU has no MIG profiles"};
  if (!enabled(gpu)) return Problem{"instances", 0, {}, "expected mode_current: enabled"};
  const auto said = std::make_unique<decltype(gpu.mig.instances)>(gpu.mig.instances);
  gpu.mig.instances.clear();
  std::optional<Problem> problem;
  for (const bool placed : {true, false}) {  // instances with a stated place come before the others
    std::uint32_t item = 0;
    for (const auto& instance : *said) {
      if (!problem && instance.start.present == placed) problem = add_instance(gpu, instance, item);
      ++item;
    }
  }
  if (problem) gpu.mig.instances = *said;
  return problem;
}

std::optional<Problem> problem_of(const Gpu& gpu) {
  if (gpu.mig.instances.empty()) return check_profiles(gpu);
  const auto copy = std::make_unique<Gpu>(gpu);
  return settle(*copy);
}

}  // namespace nvmlkit::sim::mig
