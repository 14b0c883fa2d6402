#include "sim/telemetry/change.hpp"

#include <cmath>
#include <utility>

#include "sim/state/clock.hpp"
#include "sim/state/machine.hpp"
#include "sim/telemetry/plan.hpp"
#include "storage/hash.hpp"

namespace nvmlkit::sim::telemetry {
namespace {

// Every GPU has noise of its own.
std::uint64_t seed_of(const model::Gpu& gpu, std::int64_t started_ns) {
  storage::Hash hash;
  if (gpu.uuid) hash.add(gpu.uuid->view());
  const auto said = gpu.telemetry.noise.seed.value_or(static_cast<std::uint64_t>(gpu.dynamic_metrics.seed.value_or(0)));
  hash.add(said != 0 ? said : static_cast<std::uint64_t>(started_ns));
  return hash.value();
}

}  // namespace

void start(Machine& machine) {
  auto& clock = machine.host().clock;
  clock.epoch_ns = real_epoch_ns();
  const auto now = now_ns(machine);
  for (auto& gpu : machine.gpus()) {
    gpu.motion.started_ns = now;
    gpu.motion.initialized_ns = now;
    gpu.motion.seed = seed_of(gpu, now);
    plan(gpu.motion, inputs_of(gpu), now);
  }
}

void settle(const Machine& machine, const model::Gpu& before, model::Gpu& after) {
  auto& state = after.motion;
  if (std::exchange(state.initialize_anew, 0) != 0) state.initialized_ns = now_ns(machine);
  if (state.phase_count == 0) return;  // never started
  const bool steered = before.motion.until_ns != state.until_ns || before.motion.seed != state.seed;
  const auto inputs = inputs_of(after);
  if (!steered && inputs == inputs_of(before)) return;
  const auto now = now_ns(machine);
  if (state.until_ns != 0 && state.until_ns <= now) {
    unload(after);
    plan(state, inputs_of(after), now);
    return;
  }
  plan(state, inputs, now);
}

void load(model::Gpu& gpu, const model::Workload& workload, std::int64_t now_ns, double seconds) {
  gpu.workload = workload;
  gpu.motion.until_ns = seconds > 0 ? now_ns + std::llround(std::fmin(seconds, 1e9) * 1e9) : 0;
}

void unload(model::Gpu& gpu) {
  gpu.workload = {};
  gpu.motion.until_ns = 0;
}

}  // namespace nvmlkit::sim::telemetry
