#include "sim/steering/undo_tenants.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include "sim/mig/instances.hpp"
#include "sim/processes/kinds.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/mig.hpp"
#include "sim/steering/process.hpp"
#include "sim/steering/selector.hpp"

namespace nvmlkit::sim::steering {
namespace {

using model::Gpu;

std::string selector_of(std::size_t place) { return "gpu=" + std::to_string(place); }

// Keys.
std::string made_instance(const std::string& selector, std::uint32_t id) {
  return "mig made " + selector + " " + std::to_string(id);
}
std::string made_compute(const std::string& selector, mig::DeviceId id) {
  return made_instance(selector, id.instance) + " " + std::to_string(id.compute);
}
std::string made_process(const std::string& selector, std::uint32_t pid) {
  return "process made " + selector + " " + std::to_string(pid);
}

std::unique_ptr<Gpu> copy_of(const Machine& machine, std::size_t place) {
  auto out = std::make_unique<Gpu>();
  const auto& now = machine.gpus()[place];
  const bool whole = state::consistently(machine, machine.sequence(now),
                                         [&] { std::memcpy(static_cast<void*>(out.get()), &now, sizeof now); });
  return whole ? std::move(out) : nullptr;
}

// ID:START, which names one of two profiles with one name, too.
std::string compute_word(const Gpu& gpu, const model::MigProfile& profile, const model::MigComputeInstance& compute) {
  const auto of = mig::compute_profile_of(gpu, profile, compute);
  return std::to_string(of ? of->id : 0) + ":" + std::to_string(compute.start.value_or(0));
}

std::vector<std::string> words_to_make(const Gpu& gpu, const std::string& selector,
                                       const model::MigInstance& instance) {
  const auto start = ":" + std::to_string(instance.start.value_or(0));
  std::vector<std::string> out = {"mig", "create", selector, std::string(instance.profile->view()) + start};
  const auto* profile = mig::profile_of(gpu, instance);
  if (!profile || instance.compute_instances.empty()) {
    out.emplace_back("--bare");
    return out;
  }
  std::string computes;
  for (const auto& compute : instance.compute_instances)
    computes.append(computes.empty() ? "" : ",").append(compute_word(gpu, *profile, compute));
  out.insert(out.end(), {"--compute", computes});
  return out;
}

void undo_mode(const Gpu& before, const std::string& selector, std::vector<Undo>& out) {
  const auto mode = before.mig.mode_pending ? before.mig.mode_pending : before.mig.mode_current;
  const bool was_on = mode && *mode == model::EnableState::enabled;
  out.push_back({"mig mode " + selector, {"mig", was_on ? "enable" : "disable", selector}});
}

void undo_create(const MigChange& change, const std::string& selector, std::vector<Undo>& out) {
  for (const auto id : change.instances)
    out.push_back({made_instance(selector, id), {"mig", "destroy", selector, std::to_string(id)}});
  if (!change.instances.empty()) return;
  for (const auto& id : change.devices)
    out.push_back({made_compute(selector, id),
                   {"mig", "destroy", selector, std::to_string(id.instance), "--ci", std::to_string(id.compute)}});
}

void undo_destroy(const Gpu& before, const MigChange& change, const std::string& selector, std::vector<Undo>& out) {
  for (const auto id : change.instances)
    if (const auto* instance = mig::find_instance(before, id))
      out.push_back({"mig gone " + selector + " " + std::to_string(id), words_to_make(before, selector, *instance),
                     made_instance(selector, id)});
  if (!change.instances.empty()) return;
  for (const auto& id : change.devices) {
    const auto* instance = mig::find_instance(before, id.instance);
    const auto* profile = instance ? mig::profile_of(before, *instance) : nullptr;
    const auto* compute = profile ? mig::find_compute(*instance, id.compute) : nullptr;
    if (!compute) continue;
    out.push_back(
        {"mig gone " + selector + " " + std::to_string(id.instance) + " " + std::to_string(id.compute),
         {"mig", "create", selector, compute_word(before, *profile, *compute), "--gi", std::to_string(id.instance)},
         made_compute(selector, id)});
  }
}

std::vector<std::string> words_to_start(const processes::Client& client, const std::string& selector) {
  std::vector<std::string> out = {"process", "start", selector, std::string(client.name.view())};
  const auto add = [&](const char* option, std::string value) { out.insert(out.end(), {option, std::move(value)}); };
  add("--pid", std::to_string(client.pid));
  add("--memory", std::to_string(client.memory_bytes));
  add("--type", processes::letters_of(client.kinds));
  if (client.load_percent > 0) add("--sm", std::to_string(client.load_percent));
  if (client.gpu_instance != processes::kNoInstance) {
    add("--gi", std::to_string(client.gpu_instance));
    add("--ci", std::to_string(client.compute_instance));
  }
  return out;
}

std::vector<EndableProcess> found_on(const Machine& machine, std::size_t place, const ProcessCommand& command) {
  std::vector<EndableProcess> out;
  (void)state::consistently(machine, machine.sequence(machine.gpus()[place]),
                            [&] { out = processes_to_end(machine, place, command); });
  return out;
}

void undo_end(const Machine& machine, std::size_t place, const ProcessCommand& command, std::vector<Undo>& out) {
  const auto selector = selector_of(place);
  for (const auto& process : found_on(machine, place, command)) {
    if (process.simulated) {
      const auto& client = *process.simulated;
      out.push_back({"process gone " + selector + " " + std::to_string(process.pid) + " " +
                         std::to_string(client.gpu_instance) + " " + std::to_string(client.compute_instance),
                     words_to_start(client, selector), made_process(selector, process.pid)});
      continue;
    }
    const std::vector<std::string> words = {"set", selector, "processes=[]"};
    for (auto& each : undo_of(machine, words)) out.push_back(std::move(each));
  }
}

}  // namespace

std::vector<Undo> undo_mig(const Machine& machine, Words words) {
  const auto command = read_mig(words);
  if (!command) return {};
  const auto places = select_gpus(machine, command->gpus);
  if (!places) return {};
  std::vector<Undo> out;
  for (const auto place : *places) {
    const auto before = copy_of(machine, place);
    if (!before) continue;
    const auto scratch = std::make_unique<Gpu>(*before);
    const auto change = apply_mig(machine, place, *command, *scratch);
    if (!change) return {};
    const auto selector = selector_of(place);
    if (command->verb == MigVerb::enable || command->verb == MigVerb::disable)
      undo_mode(*before, selector, out);
    else if (command->verb == MigVerb::create)
      undo_create(*change, selector, out);
    else
      undo_destroy(*before, *change, selector, out);
  }
  return out;
}

std::vector<Undo> undo_process(const Machine& machine, Words words) {
  const auto command = read_process(words);
  if (!command) return {};
  const auto places = select_gpus(machine, command->gpus);
  if (!places) return {};
  std::vector<Undo> out;
  if (command->verb == ProcessVerb::start) {
    const auto pid = command->request.pid != 0 ? command->request.pid : processes::next_simulated_pid(machine);
    for (const auto place : *places) {
      const auto selector = selector_of(place);
      out.push_back({made_process(selector, pid), {"process", "end", selector, std::to_string(pid)}});
    }
    return out;
  }
  for (const auto place : *places) undo_end(machine, place, *command, out);
  return out;
}

}  // namespace nvmlkit::sim::steering
