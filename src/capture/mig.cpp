// MIG: profiles, GPU instances and compute instances.
#include <fmt/format.h>

#include "capture/parts.hpp"

namespace nvmlkit::capture {
namespace {

std::uint64_t number(const Json* answer, std::string_view path) {
  const auto* value = at(answer, path);
  return value != nullptr && value->is_number() ? value->get<std::uint64_t>() : 0;
}

// "MIG 1g.10gb" is 1g.10gb in a machine file.
std::string name_of(const Json* answer) {
  const auto* name = at(answer, "info.name");
  if (name == nullptr || !name->is_string()) return {};
  const auto text = name->get<std::string>();
  return text.starts_with("MIG ") ? text.substr(4) : text;
}

// Calls `use(answer)` for each answer of a function that succeeded, the newest version of its struct.
template <class Use>
void for_answers(const Object& object, const std::string& function, Use use) {
  for (auto answer = object.answers.lower_bound(function + "("); answer != object.answers.end(); ++answer) {
    if (!answer->first.starts_with(function + "(")) return;
    if (answer->first.ends_with(")") && succeeded(&answer->second)) use(answer->second);
  }
}

std::string profile_name(const Object& gpu, std::uint64_t id) {
  std::string out;
  for_answers(gpu, "nvmlDeviceGetGpuInstanceProfileInfoV", [&](const Json& answer) {
    if (number(&answer, "info.id") == id && out.empty()) out = name_of(&answer);
  });
  return out;
}

void record_profiles(Record& gpu) {
  const std::string function = "nvmlDeviceGetGpuInstanceProfileInfo";
  FlowList profiles;
  for_answers(gpu.object(), function, [&](const Json& answer) {
    const auto id = number(&answer, "info.id");
    const auto name = profile_name(gpu.object(), id);
    if (name.empty()) return;
    FlowMap profile;
    profile.add("name", in_quotes(name));
    profile.add("id", id);
    profile.add("instances", number(&answer, "info.instanceCount"));
    std::uint64_t size = 1;
    FlowList starts;
    const auto places = fmt::format("nvmlDeviceGetGpuInstancePossiblePlacements_v2({})", id);
    if (const auto* all = gpu.ask(places, "placements"))
      for (std::size_t i = 0; i < gpu.number(places, "count") && i < all->size(); ++i) {
        size = number(&all->at(i), "size");
        starts.add(all->at(i)["start"].dump());
      }
    profile.add("size", size);
    profile.add("starts", starts.yaml());
    profile.add("memory_mib", number(&answer, "info.memorySizeMB"));
    const std::pair<const char*, const char*> counts[] = {{"sm", "multiprocessorCount"}, {"ce", "copyEngineCount"},
                                                          {"dec", "decoderCount"},       {"enc", "encoderCount"},
                                                          {"jpeg", "jpegCount"},         {"ofa", "ofaCount"}};
    for (const auto& [key, member] : counts) profile.add(key, number(&answer, fmt::format("info.{}", member)));
    profile.add("p2p", number(&answer, "info.isP2pSupported") != 0 ? "true" : "false");
    profiles.add(profile.yaml());
  });
  const bool none =
      gpu.ask("nvmlDeviceGetMigMode") != nullptr && failed(gpu.ask("nvmlDeviceGetMigMode"), "NOT_SUPPORTED");
  if (!profiles.empty() || none)
    gpu.set("mig.profiles", profiles, {function, "nvmlDeviceGetGpuInstancePossiblePlacements_v2"});
}

std::string compute_instances(Record& gpu, const Object& instance, const Answers& answers) {
  FlowList list;
  for (const auto* compute : answers.children(instance, Subject::compute_instance)) {
    const auto* info = compute->answer("nvmlComputeInstanceGetInfo_v2");
    if (!succeeded(info)) info = compute->answer("nvmlComputeInstanceGetInfo");
    const auto id = number(info, "info.profileId");
    std::string name;
    std::uint64_t sm = 0, least = ~std::uint64_t{0};
    const auto each = [&](const auto& use) {
      for_answers(instance, "nvmlGpuInstanceGetComputeInstanceProfileInfoV", use);
    };
    each([&](const Json& answer) {
      if (number(&answer, "info.id") != id || !name.empty()) return;
      name = name_of(&answer);
      sm = number(&answer, "info.multiprocessorCount");
    });
    each([&](const Json& answer) {
      if (name_of(&answer) == name) least = std::min(least, number(&answer, "info.multiprocessorCount"));
    });
    if (name.empty()) {
      gpu.note("a compute instance is left out: the driver does not tell the name of its profile");
      continue;
    }
    FlowMap item;
    item.add("profile", in_quotes(name));
    if (sm > least) item.add("wide", "true");
    item.add("id", number(info, "info.id"));
    item.add("start", number(info, "info.placement.start"));
    list.add(item.yaml());
  }
  return list.empty() ? std::string() : list.yaml();
}

}  // namespace

void record_mig(Record& gpu, const Answers& answers) {
  record_profiles(gpu);
  if (const auto* most = gpu.ask("nvmlDeviceGetMaxMigDeviceCount", "count"); most != nullptr && *most != 0)
    gpu.set("mig.max_gpu_instances", most->dump(), {"nvmlDeviceGetMaxMigDeviceCount"});
  if (gpu.number("nvmlDeviceGetMigMode", "currentMode") == 0) return;
  FlowList list;
  for (const auto* instance : answers.children(gpu.object(), Subject::gpu_instance)) {
    const auto* info = instance->answer("nvmlGpuInstanceGetInfo");
    const auto name = profile_name(gpu.object(), number(info, "info.profileId"));
    if (name.empty()) {
      gpu.note("a GPU instance is left out: the driver does not tell the name of its profile");
      continue;
    }
    FlowMap item;
    item.add("profile", in_quotes(name));
    item.add("id", number(info, "info.id"));
    item.add("start", number(info, "info.placement.start"));
    const auto compute = compute_instances(gpu, *instance, answers);
    if (compute.empty())
      item.add("bare", "true");
    else
      item.add("compute_instances", compute);
    list.add(item.yaml());
  }
  gpu.set("mig.instances", list, {});
}

}  // namespace nvmlkit::capture
