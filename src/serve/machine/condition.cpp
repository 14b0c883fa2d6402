#include "serve/machine/condition.hpp"

#include <cstring>
#include <memory>
#include <string>

#include "sim/calls/rule_words.hpp"
#include "sim/generated/model.hpp"
#include "sim/links/links.hpp"
#include "sim/native/faults.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/fault.hpp"
#include "sim/steering/nic_fault.hpp"

namespace nvmlkit::serve {
namespace {

using Json = nlohmann::ordered_json;
using sim::faults::Availability;
using sim::model::Gpu;

const char* reach_of(const Gpu& gpu) {
  switch (gpu.faults.availability) {
    case Availability::available:
      return "available";
    case Availability::reset_required:
      return "reset-required";
    case Availability::off_bus:
      return "off-bus";
    case Availability::removed:
      return "removed";
    default:
      return "lost";
  }
}

// A letter for each link: up, erring, down, or - for one that leads nowhere.
std::string link_letters(const Gpu& gpu) {
  std::string out;
  const auto active = sim::links::active(gpu), erring = sim::links::erring(gpu);
  for (std::uint32_t link = 0; link < sim::links::count(gpu); ++link) {
    const bool is_up = (active >> link & 1) != 0;
    if (gpu.links.links[link].remote == sim::links::Remote::nothing)
      out += '-';
    else
      out += (erring >> link & 1) != 0 ? 'e' : is_up ? 'u' : 'd';
  }
  return out;
}

Json workload_of(const Gpu& gpu) {
  Json out = Json::object();
  if (gpu.workload.gpu) out["gpu"] = *gpu.workload.gpu;
  if (gpu.workload.memory) out["memory"] = *gpu.workload.memory;
  return out;
}

Json rules_of_machine(const sim::Machine& machine) {
  auto out = Json::array();
  for (std::size_t i = 0; i < sim::calls::Rules::kCapacity; ++i)
    if (const auto rule = machine.call_rules().at(i))
      out.push_back({{"where", rule->gpu == sim::calls::kAnyGpu ? "machine" : "gpu=" + std::to_string(rule->gpu)},
                     {"rule", sim::calls::describe(*rule)}});
  return out;
}

Json broken_nics_of(const sim::Machine& machine) {
  auto out = Json::array();
  for (const auto& nic : sim::steering::broken_nics(machine))
    out.push_back({{"nic", nic.name}, {"faults", nic.faults}});
  return out;
}

}  // namespace

Json condition_of(const sim::Machine& machine) {
  auto gpus = Json::array();
  const auto copy = std::make_unique<Gpu>();
  for (const auto& gpu : machine.gpus()) {
    (void)sim::state::consistently(machine, machine.sequence(gpu),
                                   [&] { std::memcpy(static_cast<void*>(copy.get()), &gpu, sizeof gpu); });
    gpus.push_back({{"reach", reach_of(*copy)},
                    {"faults", sim::steering::describe(*copy)},
                    {"links", link_letters(*copy)},
                    {"workload", workload_of(*copy)},
                    {"mig", mig_of(machine, gpu)}});
  }
  return {{"machine_fault", sim::steering::describe(machine.attention().machine.load())},
          {"gpus", gpus},
          {"nics", broken_nics_of(machine)},
          {"rules", rules_of_machine(machine)},
          {"processes", processes_of_machine(machine)}};
}

}  // namespace nvmlkit::serve
