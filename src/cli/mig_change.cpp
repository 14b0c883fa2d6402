#include "cli/mig_change.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/command_error.hpp"
#include "cli/selector.hpp"
#include "sim/mig/devices.hpp"
#include "sim/mig/instances.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/mig.hpp"
#include "sim/steering/mig_problems.hpp"

namespace nvmlkit::cli {
namespace {

using sim::steering::MigChange;
using sim::steering::MigVerb;
using MigJson = nlohmann::ordered_json;

// Of a GPU instance that is there after the command.
MigJson instance_json(const sim::model::Gpu& gpu, std::uint32_t id) {
  MigJson out{{"id", id}};
  if (const auto* instance = sim::mig::find_instance(gpu, id)) {
    out["profile"] = std::string(instance->profile->view());
    out["start"] = instance->start.value_or(0);
  }
  return out;
}

MigJson device_json(const sim::model::Gpu& gpu, sim::mig::DeviceId id) {
  MigJson out{{"gpu_instance", id.instance}, {"compute_instance", id.compute}};
  if (sim::mig::find_device(gpu, id)) out["uuid"] = std::string(sim::mig::uuid_of(gpu, id).view());
  return out;
}

MigJson change_json(const sim::Machine& machine, const MigChange& change) {
  const auto gpu = snapshot(machine, change.gpu);
  MigJson out{{"gpu", change.gpu}, {"pending", change.pending}, {"gpu_instances", MigJson::array()}};
  for (const auto id : change.instances) out["gpu_instances"].push_back(instance_json(*gpu, id));
  out["mig_devices"] = MigJson::array();
  for (const auto& id : change.devices) out["mig_devices"].push_back(device_json(*gpu, id));
  return out;
}

void print_change(const sim::Machine& machine, const MigChange& change, MigVerb verb) {
  const auto gpu = snapshot(machine, change.gpu);
  if (change.pending) {
    const auto& own = machine.gpus()[change.gpu];
    std::string user;
    sim::state::consistently(machine, machine.sequence(own),
                             [&] { user = sim::steering::user_of(machine, own, {}, {}); });
    const auto by = !user.empty() ? user : gpu->mig.instances.empty() ? std::string("a vGPU") : "its GPU instances";
    fmt::print(stderr, "nvmlkit: GPU {}: the mode is pending until the GPU is reset: it is in use by {}\n", change.gpu,
               by);
  }
  const bool made = verb == MigVerb::create;
  if (!made) return;
  for (const auto id : change.instances)
    if (const auto* instance = sim::mig::find_instance(*gpu, id))
      fmt::print("gpu={} gi={}  {}  start {}\n", change.gpu, id, instance->profile->view(),
                 instance->start.value_or(0));
  for (const auto& id : change.devices)
    fmt::print("gpu={} gi={} ci={}  {}\n", change.gpu, id.instance, id.compute, sim::mig::uuid_of(*gpu, id).view());
}

}  // namespace

int change_mig(const MigChangeOptions& options, const std::vector<std::string>& words) {
  const auto command = value_of(sim::steering::read_mig(words));
  const auto machine = machine_of(options.machine);
  const auto changes = value_of(sim::steering::change_mig(*machine, command));
  if (options.as_json) {
    auto all = MigJson::array();
    for (const auto& change : changes) all.push_back(change_json(*machine, change));
    fmt::print("{}\n", all.dump(2));
    return 0;
  }
  for (const auto& change : changes) print_change(*machine, change, command.verb);
  return 0;
}

}  // namespace nvmlkit::cli
