// nvmlkit mig list, nvmlkit mig profiles
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/selector.hpp"
#include "sim/mig/devices.hpp"
#include "sim/mig/instances.hpp"
#include "sim/mig/placement.hpp"
#include "sim/processes/occupants.hpp"

namespace nvmlkit::cli {
namespace {

using MigRows = nlohmann::ordered_json;
using sim::model::Gpu;

struct MigListOptions {
  UpMachineOptions machine;
  std::string selector = "gpu=all";
  bool as_json = false;
};

const char* mode_name(const sim::model::Field<std::uint32_t>& mode) {
  return !mode ? "N/A" : *mode == sim::model::EnableState::enabled ? "enabled" : "disabled";
}

MigRows computes_json(const Gpu& gpu, const sim::model::MigInstance& instance) {
  auto out = MigRows::array();
  for (const auto& compute : instance.compute_instances) {
    const sim::mig::DeviceId id{instance.id.value_or(0), compute.id.value_or(0)};
    out.push_back({{"id", id.compute},
                   {"profile", std::string(compute.profile->view())},
                   {"start", compute.start.value_or(0)},
                   {"uuid", std::string(sim::mig::uuid_of(gpu, id).view())}});
  }
  return out;
}

// `gpu` is a copy; the machine has the processes.
MigRows gpu_json(const sim::Machine& machine, std::size_t index, const Gpu& gpu) {
  auto instances = MigRows::array();
  if (sim::mig::enabled(gpu))
    for (const auto& instance : gpu.mig.instances) {
      const auto* profile = sim::mig::profile_of(gpu, instance);
      instances.push_back({{"id", instance.id.value_or(0)},
                           {"profile", std::string(instance.profile->view())},
                           {"start", instance.start.value_or(0)},
                           {"size", sim::mig::size_of(gpu, instance)},
                           {"memory_mib", profile ? profile->memory_mib.value_or(0) : 0},
                           {"used_mib", sim::processes::used_bytes(machine, machine.gpus()[index], instance) >> 20},
                           {"compute_instances", computes_json(gpu, instance)}});
    }
  return {{"gpu", index},
          {"mode", mode_name(gpu.mig.mode_current)},
          {"pending_mode", mode_name(gpu.mig.mode_pending ? gpu.mig.mode_pending : gpu.mig.mode_current)},
          {"gpu_instances", std::move(instances)}};
}

void print_gpu(const MigRows& gpu) {
  const auto index = gpu["gpu"].get<std::size_t>();
  const auto mode = gpu["mode"].get<std::string>(), pending = gpu["pending_mode"].get<std::string>();
  fmt::print("gpu={}  MIG {}{}\n", index, mode, pending == mode ? "" : fmt::format(", pending: {}", pending));
  for (const auto& instance : gpu["gpu_instances"]) {
    const auto id = instance["id"].get<std::uint32_t>();
    fmt::print("gpu={} gi={}  {:<14} start {}  size {}  {} / {} MiB\n", index, id,
               instance["profile"].get<std::string>(), instance["start"].get<std::uint32_t>(),
               instance["size"].get<std::uint32_t>(), instance["used_mib"].get<std::uint64_t>(),
               instance["memory_mib"].get<std::uint64_t>());
    for (const auto& compute : instance["compute_instances"])
      fmt::print("gpu={} gi={} ci={}  {:<14} start {}  {}\n", index, id, compute["id"].get<std::uint32_t>(),
                 compute["profile"].get<std::string>(), compute["start"].get<std::uint32_t>(),
                 compute["uuid"].get<std::string>());
  }
}

MigRows profiles_json(std::size_t index, const Gpu& gpu) {
  auto out = MigRows::array();
  for (const auto& profile : gpu.mig.profiles) {
    auto starts = MigRows::array();
    for (const auto start : profile.starts) starts.push_back(start);
    out.push_back({{"gpu", index},
                   {"profile", std::string(profile.name->view())},
                   {"id", profile.id.value_or(0)},
                   {"free", sim::mig::capacity(gpu, profile)},
                   {"total", profile.instances.value_or(0)},
                   {"size", profile.size.value_or(0)},
                   {"starts", std::move(starts)},
                   {"memory_mib", profile.memory_mib.value_or(0)},
                   {"sm", profile.sm.value_or(0)}});
  }
  return out;
}

void print_profile(const MigRows& row) {
  std::string starts;
  for (const auto& start : row["starts"]) starts += (starts.empty() ? "" : ",") + start.dump();
  fmt::print("gpu={}  {:<14} id {:<3} free {}/{}  starts {:<16} {} MiB  {} SMs\n", row["gpu"].get<std::size_t>(),
             row["profile"].get<std::string>(), row["id"].get<std::uint32_t>(), row["free"].get<std::uint32_t>(),
             row["total"].get<std::uint32_t>(), starts, row["memory_mib"].get<std::uint64_t>(),
             row["sm"].get<std::uint32_t>());
}

int list_mig(const MigListOptions& options, bool profiles) {
  const auto machine = machine_of(options.machine);
  auto all = MigRows::array();
  for (const auto index : select(*machine, options.selector)) {
    const auto gpu = snapshot(*machine, index);
    if (!profiles)
      all.push_back(gpu_json(*machine, index, *gpu));
    else
      for (auto& row : profiles_json(index, *gpu)) all.push_back(std::move(row));
  }
  if (options.as_json) {
    fmt::print("{}\n", all.dump(2));
    return 0;
  }
  for (const auto& row : all) profiles ? print_profile(row) : print_gpu(row);
  if (all.empty()) fmt::print("no MIG profiles\n");
  return 0;
}

auto declare_list(bool profiles) {
  return [profiles](Arguments& arguments) -> Action {
    const auto options = std::make_shared<MigListOptions>();
    declare_gpus(arguments, options->selector).default_text("gpu=all");
    declare_json(arguments, options->as_json);
    options->machine.declare(arguments);
    return [options, profiles] { return list_mig(*options, profiles); };
  };
}

}  // namespace

Command mig_list_command() {
  return {.name = "mig list",
          .summary = "List MIG modes, GPU instances and MIG devices",
          .group = Group::up,
          .examples = {{"nvmlkit mig list gpu=0", "those of one GPU"}},
          .declare = declare_list(false)};
}

Command mig_profiles_command() {
  return {.name = "mig profiles",
          .summary = "List GPU instance profiles, and how many still fit",
          .group = Group::up,
          .examples = {{"nvmlkit mig profiles gpu=0", "what there is room for"}},
          .declare = declare_list(true)};
}

}  // namespace nvmlkit::cli
