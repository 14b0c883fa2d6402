#include "sim/steering/process.hpp"

#include <algorithm>

#include "sim/mig/devices.hpp"
#include "sim/problem/names.hpp"
#include "sim/processes/occupants.hpp"
#include "sim/setters/mig.hpp"
#include "sim/state/clock.hpp"
#include "sim/steering/mig_problems.hpp"
#include "sim/steering/selector.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/transaction/change.hpp"

namespace nvmlkit::sim::steering {
namespace {

using model::Gpu;
using state::Lock;

std::uint32_t number(std::size_t place) { return static_cast<std::uint32_t>(place); }

Expected<void> put_load(const Lock& lock, std::size_t place) {
  transaction::Edit edit(lock, place);
  if (!edit) return fail({.kind = ProblemKind::out_of_memory});
  const auto percent = processes::asked_load(lock.machine(), place);
  model::Workload workload;
  if (percent > 0) workload.gpu = percent;
  if (percent > 0)
    telemetry::load(*edit, workload, now_ns(lock.machine()), 0);
  else
    telemetry::unload(*edit);
  edit.commit();
  return {};
}

// A GPU in MIG mode has its processes on MIG devices, any other GPU on itself.
Expected<void> check_device(const Machine& machine, const Gpu& gpu, const processes::Request& wanted) {
  const bool named = wanted.gpu_instance != processes::kNoInstance;
  if (!mig::enabled(gpu)) {
    if (!named) return {};
    return fail(mig_problem(machine, gpu, gpu, setters::MigRefusal::not_supported, {}));
  }
  const auto all = instances_of(gpu);
  if (!named)
    return fail(
        Problem{.kind = ProblemKind::impossible,
                .what = "the GPU is in MIG mode, so the process needs --gi",
                .hint = all.empty() ? "it has no GPU instance; nvmlkit mig create makes one" : "it has " + all});
  if (mig::find_device(gpu, {wanted.gpu_instance, wanted.compute_instance})) return {};
  return fail(mig_problem(machine, gpu, gpu, setters::MigRefusal::no_instance,
                          {.instance = wanted.gpu_instance, .compute = wanted.compute_instance}));
}

std::string mib(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

std::string free_text(const Machine& machine, const Gpu& gpu, const processes::Request& wanted) {
  if (wanted.gpu_instance == processes::kNoInstance)
    return mib(processes::memory_of(machine, gpu, machine.index_of(gpu)).free) + " are free";
  const auto device = mig::find_device(gpu, {wanted.gpu_instance, wanted.compute_instance});
  if (!device) return {};
  const auto total = device->profile->memory_mib.value_or(0) << 20;
  const auto used = processes::used_bytes(machine, gpu, *device->instance);
  return mib(total > used ? total - used : 0) + " of the GPU instance are free";
}

Problem problem_of(const Machine& machine, const processes::Started& refused, const processes::Request& wanted) {
  const auto& gpu = machine.gpus()[refused.gpu];
  Problem out = impossible(std::string(processes::text_of(refused.outcome)));
  if (refused.outcome == processes::Outcome::out_of_memory) {
    out.what = "not enough memory for a process with " + mib(wanted.memory_bytes);
    out.hint = free_text(machine, gpu, wanted);
  }
  if (refused.outcome == processes::Outcome::exclusive) out.hint = user_of(machine, gpu, {}, {}) + " uses it";
  if (refused.outcome == processes::Outcome::taken) out.hint = "leave --pid out for a number of its own";
  return std::move(out).of_gpu(number(refused.gpu));
}

Expected<std::vector<std::uint32_t>> start(const Lock& lock, const std::vector<std::size_t>& places,
                                           const ProcessCommand& command) {
  const auto& machine = lock.machine();
  auto request = command.request;
  request.name = command.name;
  for (const auto place : places)
    if (auto good = check_device(machine, machine.gpus()[place], request); !good)
      return fail(std::move(good.error()).of_gpu(number(place)));
  const auto started = processes::start(lock, places, request);
  if (started.outcome != processes::Outcome::done) return fail(problem_of(machine, started, request));
  if (request.load_percent > 0)
    for (const auto place : places)
      if (auto loaded = put_load(lock, place); !loaded) return fail(std::move(loaded.error()));
  return std::vector{started.pid};
}

bool is_meant(const ProcessCommand& command, std::uint32_t pid, std::string_view name) {
  if (command.pid != 0) return pid == command.pid;
  return command.name == "all" || name == command.name;
}

// Of programs that `nvmlkit` cannot end.
Problem nothing_to_end(const Machine& machine, const std::vector<std::size_t>& places, const ProcessCommand& command) {
  std::vector<std::string> names;
  std::uint32_t program = 0;
  for (const auto place : places) {
    ProcessCommand every;
    every.name = "all";
    for (const auto& each : processes_to_end(machine, place, every)) names.push_back(each.name);
    processes::for_each_client(machine, place, [&](const processes::Client& client, processes::Life) {
      if (client.simulated == 0 && is_meant(command, client.pid, client.name.view())) program = client.pid;
    });
  }
  if (program != 0)
    return {.kind = ProblemKind::impossible,
            .what = "process " + std::to_string(program) + " is a program of this system",
            .hint = "end it with kill " + std::to_string(program)};
  if (command.name == "all") return impossible("no simulated process uses these GPUs");
  const auto given = command.pid != 0 ? std::to_string(command.pid) : command.name;
  const std::vector<std::string_view> views(names.begin(), names.end());
  Problem out = impossible("no simulated process " + quote(given) + " uses these GPUs");
  out.nearest = nearest(given, views);
  out.hint = "nvmlkit process list shows all";
  return out;
}

void remove_configured(const Lock& lock, std::size_t place, std::uint32_t pid) {
  transaction::Edit edit(lock, place);
  if (!edit) return;
  const auto items = edit->processes.span();
  const auto end = std::remove_if(items.begin(), items.end(),
                                  [&](const model::Process& process) { return process.pid.value_or(0) == pid; });
  edit->processes.count = static_cast<std::uint32_t>(end - items.begin());
  edit.commit();
}

Expected<std::vector<std::uint32_t>> end(const Lock& lock, const std::vector<std::size_t>& places,
                                         const ProcessCommand& command) {
  std::vector<std::uint32_t> out;
  for (const auto place : places) {
    const auto before = processes::asked_load(lock.machine(), place);
    for (const auto& process : processes_to_end(lock.machine(), place, command)) {
      if (!process.simulated)
        remove_configured(lock, place, process.pid);
      else if (processes::end(lock, place, process.pid) == processes::Outcome::no_room)
        return fail({.kind = ProblemKind::unusable_file, .what = processes::text_of(processes::Outcome::no_room)});
      if (std::find(out.begin(), out.end(), process.pid) == out.end()) out.push_back(process.pid);
    }
    if (before == processes::asked_load(lock.machine(), place)) continue;
    if (auto loaded = put_load(lock, place); !loaded) return fail(std::move(loaded.error()));
  }
  return out.empty() ? fail(nothing_to_end(lock.machine(), places, command))
                     : Expected<std::vector<std::uint32_t>>(std::move(out));
}

}  // namespace

std::vector<EndableProcess> processes_to_end(const Machine& machine, std::size_t gpu, const ProcessCommand& command) {
  std::vector<EndableProcess> out;
  for (const auto& process : machine.gpus()[gpu].processes) {
    const auto name = process.name ? process.name->view() : std::string_view();
    if (is_meant(command, process.pid.value_or(0), name))
      out.push_back({process.pid.value_or(0), std::string(name), {}});
  }
  processes::for_each_client(machine, gpu, [&](const processes::Client& client, processes::Life) {
    if (client.simulated != 0 && is_meant(command, client.pid, client.name.view()))
      out.push_back({client.pid, std::string(client.name.view()), client});
  });
  return out;
}

Expected<std::vector<std::uint32_t>> change_processes(const Machine& machine, const ProcessCommand& command) {
  const auto places = select_gpus(machine, command.gpus);
  if (!places) return fail(places.error());
  const Lock lock(machine);
  if (!lock) return fail(transaction::refusal_of(lock));
  return command.verb == ProcessVerb::start ? start(lock, *places, command) : end(lock, *places, command);
}

Expected<void> follow_processes(const Machine& machine, std::size_t gpu) {
  const Lock lock(machine);
  return lock ? put_load(lock, gpu) : fail(transaction::refusal_of(lock));
}

}  // namespace nvmlkit::sim::steering
