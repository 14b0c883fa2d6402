#include "sim/mig/instances.hpp"

#include <algorithm>

#include "sim/mig/placement.hpp"

namespace nvmlkit::sim::mig {
namespace {

using model::Gpu;
using model::MigComputeInstance;
using model::MigInstance;
using model::MigProfile;

template <class List, class Item>
bool insert_by_id(List& list, const Item& item) {
  if (!list.push_back(item)) return false;
  const auto items = list.span();
  const auto at = std::upper_bound(items.begin(), items.end() - 1, *item.id,
                                   [](std::uint32_t id, const Item& other) { return id < other.id.value_or(0); });
  std::rotate(at, items.end() - 1, items.end());
  return true;
}

template <class List>
void erase_id(List& list, std::uint32_t id) {
  const auto items = list.span();
  const auto end =
      std::remove_if(items.begin(), items.end(), [&](const auto& item) { return item.id && *item.id == id; });
  list.count = static_cast<std::uint32_t>(end - items.begin());
}

std::optional<std::uint32_t> free_compute_id(const MigInstance& instance) {
  for (std::uint32_t id = 0; id < MigInstance{}.compute_instances.capacity(); ++id)
    if (!find_compute(instance, id)) return id;
  return {};
}

}  // namespace

const MigProfile* profile_of(const Gpu& gpu, const MigInstance& instance) {
  return instance.profile ? profile_by_name(gpu, instance.profile->view()) : nullptr;
}

std::uint32_t size_of(const Gpu& gpu, const MigInstance& instance) {
  const auto* profile = profile_of(gpu, instance);
  return profile ? profile->size.value_or(0) : 0;
}

std::optional<ComputeProfile> compute_profile_of(const Gpu& gpu, const MigProfile& profile,
                                                 const MigComputeInstance& instance) {
  if (!instance.profile) return {};
  for (const auto& compute : compute_profiles(gpu, profile))
    if (compute_name(profile, compute) == instance.profile->view() && compute.wide() == instance.wide.value_or(false))
      return compute;
  return {};
}

const MigInstance* find_instance(const Gpu& gpu, std::uint32_t id) {
  for (const auto& instance : gpu.mig.instances)
    if (instance.id && *instance.id == id) return &instance;
  return nullptr;
}

MigInstance* find_instance(Gpu& gpu, std::uint32_t id) {
  return const_cast<MigInstance*>(find_instance(static_cast<const Gpu&>(gpu), id));
}

const MigComputeInstance* find_compute(const MigInstance& instance, std::uint32_t id) {
  for (const auto& compute : instance.compute_instances)
    if (compute.id && *compute.id == id) return &compute;
  return nullptr;
}

MigComputeInstance* find_compute(MigInstance& instance, std::uint32_t id) {
  return const_cast<MigComputeInstance*>(find_compute(static_cast<const MigInstance&>(instance), id));
}

Refusal create_instance(Gpu& gpu, const MigProfile& profile, std::optional<std::uint32_t> start, std::uint32_t& id) {
  const auto size = profile.size.value_or(0);
  if (start && !possible(profile, *start, size)) return Refusal::invalid;
  if (capacity(gpu, profile) == 0) return Refusal::insufficient;
  if (!start) start = best_start(gpu, profile);
  if (!start || !is_free(gpu, *start, size)) return Refusal::insufficient;
  const auto made = instance_id(gpu, *start, size);
  if (!made) return Refusal::invalid;
  MigInstance instance;
  instance.profile = profile.name->view();
  instance.id = *made;
  instance.start = *start;
  instance.sram_uncorrectable = 0U;
  instance.bare = true;
  if (!insert_by_id(gpu.mig.instances, instance)) return Refusal::insufficient;
  id = *made;
  return Refusal::none;
}

Refusal create_compute(Gpu& gpu, MigInstance& instance, const ComputeProfile& compute,
                       std::optional<std::uint32_t> start, std::uint32_t& id) {
  const auto* profile = profile_of(gpu, instance);
  if (!profile || (start && *start > last_compute_start(*profile, compute))) return Refusal::invalid;
  if (capacity(gpu, instance, compute) == 0) return Refusal::insufficient;
  if (!start) start = first_start(gpu, instance, compute);
  if (!start || !is_free(gpu, instance, *start, compute.size)) return Refusal::insufficient;
  const auto made = free_compute_id(instance);
  if (!made) return Refusal::insufficient;
  MigComputeInstance item;
  item.profile = compute_name(*profile, compute).view();
  item.id = *made;
  item.start = *start;
  item.wide = compute.wide();
  if (!insert_by_id(instance.compute_instances, item)) return Refusal::insufficient;
  instance.bare = false;
  id = *made;
  return Refusal::none;
}

void destroy_instance(Gpu& gpu, std::uint32_t id) { erase_id(gpu.mig.instances, id); }

void destroy_compute(MigInstance& instance, std::uint32_t id) {
  erase_id(instance.compute_instances, id);
  if (instance.compute_instances.empty()) instance.bare = true;
}

void change_compute_id(MigInstance& instance, std::uint32_t from, std::uint32_t to) {
  const auto* found = find_compute(instance, from);
  if (!found) return;
  auto item = *found;
  erase_id(instance.compute_instances, from);
  item.id = to;
  insert_by_id(instance.compute_instances, item);
}

void destroy_all(Gpu& gpu) { gpu.mig.instances.clear(); }

}  // namespace nvmlkit::sim::mig
