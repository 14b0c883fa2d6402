#include "sim/vgpu/instances.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "sim/mig/instances.hpp"
#include "sim/mig/profiles.hpp"
#include "sim/model/identity.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::sim::vgpu {
namespace {

using model::Gpu;
using model::VgpuInstance;

// Real ids look like this: 0xC1D0 and 16 bits.
constexpr std::uint32_t kFirstId = 0xC1D00000, kIdMask = 0xFFFF;

// `gpu` may be a copy that is about to replace a GPU of the machine, which does not count then.
bool is_taken(const Machine& machine, const Gpu& gpu, std::uint32_t id) {
  if (find(const_cast<Gpu&>(gpu), id)) return true;
  const auto other = find(machine, id);
  return other && !(other->gpu->uuid == gpu.uuid);
}

std::uint32_t new_id(const Machine& machine, const Gpu& gpu, std::uint32_t number) {
  const std::string_view uuid = gpu.uuid ? gpu.uuid->view() : std::string_view();
  auto low = static_cast<std::uint32_t>(identity_hash(uuid, 0x76677075 + std::uint64_t{number}));
  // More ids than vGPUs of 1,024 GPUs: the search ends.
  while (is_taken(machine, gpu, kFirstId | (low & kIdMask))) ++low;
  return kFirstId | (low & kIdMask);
}

model::Text<37> uuid_from(const Gpu& gpu, std::uint32_t id, std::uint64_t kind) {
  const std::string_view uuid = gpu.uuid ? gpu.uuid->view() : std::string_view();
  const auto a = identity_hash(uuid, (kind << 32) | id), b = identity_hash(uuid, (kind << 32) + (1ULL << 40) + id);
  char text[37];
  std::snprintf(text, sizeof text, "%08x-%04x-4%03x-%04x-%012llx", static_cast<unsigned>(a >> 32),
                static_cast<unsigned>((a >> 16) & 0xFFFF), static_cast<unsigned>(a & 0xFFF),
                static_cast<unsigned>(0x8000 | ((b >> 48) & 0x3FFF)),
                static_cast<unsigned long long>(b & 0xFFFFFFFFFFFFULL));
  return model::Text<37>(std::string_view(text));
}

Problem no_room(const Gpu& gpu, const Type& type, const VgpuInstance& said) {
  const auto name = quote(type.name);
  if (on_mig(type)) {
    if (!mig::enabled(gpu)) return impossible(name + " needs MIG mode");
    const auto profile = quote(type.profile);
    if (said.gpu_instance)
      return impossible("GPU instance " + std::to_string(*said.gpu_instance) + " has no room for " + name +
                        ", which needs one of " + profile);
    return impossible("no GPU instance of " + profile + " has room for " + name);
  }
  if (mig::enabled(gpu)) return impossible(name + " needs a GPU that is not in MIG mode");
  if (said.gpu_instance) return impossible(name + " runs in no GPU instance");
  auto problem = impossible("no room for " + name + " beside the others");
  if (any(gpu) && !heterogeneous(gpu)) problem.hint = "vGPUs of different size need heterogeneous mode";
  return problem;
}

Problem unknown_type(const Gpu& gpu, const VgpuInstance& said) {
  std::string names;
  for (const auto& known : types_of(gpu)) names.append(names.empty() ? "" : ", ").append(short_name(known));
  Problem problem{.kind = ProblemKind::unknown_name,
                  .what = "unknown type " + quote(said.type ? said.type->view() : std::string_view())};
  if (names.empty())
    problem.hint = "no vGPU type of this GPU is known";
  else
    problem.expected = "one of " + names;
  return problem;
}

// The stated place, if it is one of the type's and free; else the first free place.
std::optional<std::uint32_t> place_for(const Region& region, const Type& type,
                                       const model::Field<std::uint32_t>& said) {
  const auto free = free_starts(region, type, region.heterogeneous());
  for (std::uint32_t i = 0; i < free.count; ++i)
    if (!said || free.items[i] == *said) return free.items[i];
  return {};
}

void complete(const Machine& machine, const Gpu& gpu, const Type& type, VgpuInstance& made) {
  made.type = type.name;
  // Above what a host with the usual pid_max gives away.
  made.host_pid.derive_from(std::optional<std::uint32_t>(100'000 + (*made.id & kIdMask)));
  made.uuid.derive_from(std::optional<std::string_view>(uuid_from(gpu, *made.id, 1).view()));
  made.vm_id.derive_from(std::optional<std::string_view>(uuid_from(gpu, *made.id, 2).view()));
  const bool sriov = gpu.virtualization.host_vgpu_mode == model::HostVgpuMode::sriov;
  if (!sriov) made.mdev_uuid.derive_from(made.uuid);
  made.guest_driver.derive_from(machine.system().driver_version
                                    ? std::optional<std::string_view>(machine.system().driver_version->view())
                                    : std::optional<std::string_view>());
}

}  // namespace

bool any(const Gpu& gpu) { return is_host(gpu) && !gpu.vgpu.instances.empty(); }

bool any(const Machine& machine) {
  return std::any_of(machine.gpus().begin(), machine.gpus().end(), [](const Gpu& gpu) { return any(gpu); });
}

bool any_on(const Gpu& gpu, std::uint32_t gpu_instance) {
  return is_host(gpu) &&
         std::any_of(gpu.vgpu.instances.begin(), gpu.vgpu.instances.end(), [&](const VgpuInstance& instance) {
           return instance.gpu_instance && *instance.gpu_instance == gpu_instance;
         });
}

std::optional<Active> find(const Machine& machine, std::uint32_t id) {
  for (const auto& gpu : machine.gpus()) {
    if (!is_host(gpu)) continue;
    for (const auto& instance : gpu.vgpu.instances)
      if (instance.id && *instance.id == id)
        if (const auto* type = type_of(gpu, instance)) return Active{&gpu, &instance, type};
  }
  return {};
}

VgpuInstance* find(Gpu& gpu, std::uint32_t id) {
  for (auto& instance : gpu.vgpu.instances.span())
    if (instance.id && *instance.id == id) return &instance;
  return nullptr;
}

bool has_driver(const VgpuInstance& instance) {
  return instance.guest_driver && !instance.guest_driver->view().empty();
}

std::optional<Region> region_for(const Gpu& gpu, const Type& type, std::optional<std::uint32_t> gpu_instance) {
  if (!on_mig(type)) {
    const Region region{&gpu, {}};
    return !mig::enabled(gpu) && !gpu_instance && room(region, type) > 0 ? std::optional(region) : std::nullopt;
  }
  if (!mig::enabled(gpu)) return {};
  for (const auto& instance : gpu.mig.instances) {
    if (!instance.id || (gpu_instance && *gpu_instance != *instance.id)) continue;
    const auto* profile = mig::profile_of(gpu, instance);
    const Region region{&gpu, *instance.id};
    if (profile && profile->name->view() == type.profile && room(region, type) > 0) return region;
  }
  return {};
}

bool creatable(const Gpu& gpu, const Type& type) {
  return gpu.vgpu.instances.size() < gpu.vgpu.instances.capacity() && region_for(gpu, type, {}).has_value();
}

Expected<std::uint32_t> create(const Machine& machine, Gpu& gpu, VgpuInstance said) {
  if (!is_host(gpu)) return fail(missing("virtualization.mode: host_vgpu"));
  const auto* type = type_of(gpu, said);
  if (!type) return fail(unknown_type(gpu, said));
  if (said.id && (*said.id == 0 || is_taken(machine, gpu, *said.id)))
    return fail({.kind = ProblemKind::duplicate, .what = "id " + std::to_string(*said.id) + " is not free"});
  const auto wanted = said.gpu_instance ? std::optional(*said.gpu_instance) : std::nullopt;
  const auto region = region_for(gpu, *type, wanted);
  if (!region) return fail(no_room(gpu, *type, said));
  const auto place = place_for(*region, *type, said.placement);
  if (!place)
    return fail(impossible("placement " + std::to_string(said.placement.value_or(0)) + " is not free, or none of " +
                           quote(type->name)));
  said.placement = *place;
  if (region->gpu_instance) said.gpu_instance = *region->gpu_instance;
  const auto number = gpu.vgpu.made.value_or(0);
  if (!said.id) said.id = new_id(machine, gpu, number);
  complete(machine, gpu, *type, said);
  if (!gpu.vgpu.instances.push_back(said))
    return fail(impossible("a GPU holds at most " + std::to_string(gpu.vgpu.instances.capacity()) + " vGPUs"));
  gpu.vgpu.made = number + 1;
  return *said.id;
}

// Settings of GPU instances that are gone make room for others.
model::VgpuGpuInstance* settings_of(Gpu& gpu, std::uint32_t gpu_instance) {
  model::VgpuGpuInstance* free = nullptr;
  for (auto& said : gpu.vgpu.gpu_instances.span()) {
    if (said.id && *said.id == gpu_instance) return &said;
    if (!said.id || !mig::find_instance(static_cast<const Gpu&>(gpu), *said.id)) free = &said;
  }
  model::VgpuGpuInstance made;
  made.id = gpu_instance;
  if (free) {
    *free = made;
    return free;
  }
  auto& all = gpu.vgpu.gpu_instances;
  return all.push_back(made) ? all.span().data() + all.size() - 1 : nullptr;
}

void forget_settings(Gpu& gpu, std::uint32_t gpu_instance) {
  const auto all = gpu.vgpu.gpu_instances.span();
  const auto end =
      std::remove_if(all.begin(), all.end(), [&](const auto& said) { return said.id && *said.id == gpu_instance; });
  gpu.vgpu.gpu_instances.count = static_cast<std::uint32_t>(end - all.begin());
}

bool destroy(Gpu& gpu, std::uint32_t id) {
  auto* found = is_host(gpu) ? find(gpu, id) : nullptr;
  if (!found) return false;
  const auto all = gpu.vgpu.instances.span();
  std::move(found + 1, all.data() + all.size(), found);
  gpu.vgpu.instances.count = static_cast<std::uint32_t>(all.size() - 1);
  return true;
}

}  // namespace nvmlkit::sim::vgpu
