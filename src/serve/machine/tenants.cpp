#include <optional>
#include <string>
#include <vector>

#include "serve/machine/condition.hpp"
#include "sim/mig/devices.hpp"
#include "sim/mig/instances.hpp"
#include "sim/processes/clients.hpp"
#include "sim/processes/kinds.hpp"
#include "sim/processes/occupants.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::serve {
namespace {

using Json = nlohmann::ordered_json;
namespace processes = sim::processes;

Json instance_number(std::uint32_t number) { return number == processes::kNoInstance ? Json() : Json(number); }

Json computes_of(const sim::model::Gpu& gpu, const sim::model::MigInstance& instance) {
  auto out = Json::array();
  for (const auto& compute : instance.compute_instances) {
    const auto id = sim::mig::DeviceId{instance.id.value_or(0), compute.id.value_or(0)};
    out.push_back({{"id", id.compute},
                   {"profile", compute.profile ? std::string(compute.profile->view()) : ""},
                   {"uuid", std::string(sim::mig::uuid_of(gpu, id).view())}});
  }
  return out;
}

}  // namespace

Json mig_of(const sim::Machine& machine, const sim::model::Gpu& gpu) {
  Json out;
  (void)sim::state::consistently(machine, machine.sequence(gpu), [&] {
    out = {};
    if (!sim::mig::enabled(gpu)) return;
    auto instances = Json::array();
    for (const auto& instance : gpu.mig.instances) {
      const auto* const profile = sim::mig::profile_of(gpu, instance);
      instances.push_back({{"id", instance.id.value_or(0)},
                           {"profile", instance.profile ? std::string(instance.profile->view()) : ""},
                           {"start", instance.start.value_or(0)},
                           {"size", sim::mig::size_of(gpu, instance)},
                           {"memory_mib", profile ? profile->memory_mib.value_or(0) : 0},
                           {"used_mib", processes::used_bytes(machine, gpu, instance) >> 20},
                           {"compute", computes_of(gpu, instance)}});
    }
    out = {{"slices", sim::mig::memory_slices(gpu)}, {"instances", instances}};
  });
  return out;
}

Json processes_of_machine(const sim::Machine& machine) {
  auto out = Json::array();
  (void)sim::state::consistently(machine, machine.sequence(), [&] {
    out = Json::array();
    for (std::size_t i = 0; i < machine.gpus().size(); ++i) {
      for (const auto& process : machine.gpus()[i].processes)
        out.push_back({{"gpu", i},
                       {"pid", process.pid.value_or(0)},
                       {"type", process.type ? std::string(process.type->view()) : "C"},
                       {"name", process.name ? std::string(process.name->view()) : ""},
                       {"memory_mib", process.used_memory_mib ? Json(*process.used_memory_mib) : Json()},
                       {"gpu_instance", process.gpu_instance ? Json(*process.gpu_instance) : Json()}});
      processes::for_each_client(machine, i, [&](const auto& client, processes::Life) {
        out.push_back({{"gpu", i},
                       {"pid", client.pid},
                       {"type", processes::letters_of(client.kinds)},
                       {"name", std::string(client.name.view())},
                       {"memory_mib", client.memory_bytes >> 20},
                       {"gpu_instance", instance_number(client.gpu_instance)}});
      });
    }
  });
  return out;
}

}  // namespace nvmlkit::serve
