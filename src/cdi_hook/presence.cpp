#include "cdi_hook/presence.hpp"

#include <algorithm>
#include <string>

#include "cdi_hook/record.hpp"
#include "sim/steering/process.hpp"

namespace nvmlkit::cdi_hook {
namespace {

namespace processes = sim::processes;

}  // namespace

sim::Expected<void> begin(const sim::Machine& machine, const Target& target, const Container& container,
                          const Share& share) {
  processes::Request request;
  request.pid = container.pid;
  request.memory_bytes = share.memory_bytes;
  request.load_percent = static_cast<std::uint16_t>(share.load_percent);
  request.share = std::max(share.load_percent, 1U);
  request.gpu_instance = target.gpu_instance;
  request.compute_instance = target.compute_instance;
  request.name = container.program;
  const auto process = processes::inner_process(container.pid);
  const auto outcome = processes::attach(machine, target.gpu, request);
  if (outcome != processes::Outcome::done)
    return sim::fail({.kind = sim::ProblemKind::impossible,
                      .what = "GPU " + std::to_string(target.gpu) + ": " + std::string(processes::text_of(outcome))});
  if (process) remember(container, *process);
  return share.load_percent == 0 ? sim::Expected<void>() : sim::steering::follow_processes(machine, target.gpu);
}

sim::Expected<void> end(const sim::Machine& machine, const Target& target, const Container& container,
                        const Share& share) {
  if (const auto process = recall(container)) processes::detach(machine, target.gpu, *process);
  processes::remove_ended(machine, target.gpu);
  // Whether another program removed the process before does not matter. A load that a user set stays where the
  // container had none.
  if (share.load_percent == 0) return {};
  return sim::steering::follow_processes(machine, target.gpu);
}

}  // namespace nvmlkit::cdi_hook
