#include "sim/vgpu/scheduler.hpp"

#include <algorithm>

#include "sim/state/clock.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::sim::vgpu {
namespace {

constexpr std::uint32_t kDefaultFrequency = 480, kDefaultAveragingFactor = 33;
constexpr std::uint32_t kSecondNs = 1'000'000'000;

template <class Value>
Value within(Value value, Value low, Value high) {
  return std::clamp(value, low, high);
}

}  // namespace

// Settings may come from a damaged file.
Scheduler scheduler_of(const model::VgpuScheduler& settings) {
  constexpr std::uint32_t kBestEffort = model::VgpuSchedulerPolicy::best_effort;
  Scheduler out;
  out.policy = within<std::uint32_t>(settings.policy.value_or(kBestEffort), kBestEffort,
                                     model::VgpuSchedulerPolicy::fixed_share);
  out.adaptive = out.policy != kBestEffort &&
                 settings.adaptive_round_robin.value_or(model::EnableState::enabled) == model::EnableState::enabled;
  out.frequency = within(settings.frequency.value_or(kDefaultFrequency), limits::kMinFrequency, limits::kMaxFrequency);
  out.averaging_factor = within(settings.averaging_factor.value_or(kDefaultAveragingFactor),
                                limits::kMinAveragingFactor, limits::kMaxAveragingFactor);
  const auto timeslice = settings.timeslice_ns.value_or(kSecondNs / kDefaultFrequency);
  out.timeslice_ns =
      out.adaptive ? kSecondNs / out.frequency : within(timeslice, limits::kMinTimesliceNs, limits::kMaxTimesliceNs);
  return out;
}

Scheduler scheduler_of(const Region& region) {
  if (!region.gpu_instance) return scheduler_of(region.gpu->vgpu.scheduler);
  for (const auto& said : region.gpu->vgpu.gpu_instances)
    if (said.id && *said.id == *region.gpu_instance) return scheduler_of(said.scheduler);
  return scheduler_of(model::VgpuScheduler{});
}

void set(model::VgpuScheduler& settings, const Scheduler& scheduler) {
  settings = {};
  settings.policy = scheduler.policy;
  if (scheduler.policy == model::VgpuSchedulerPolicy::best_effort) return;
  settings.adaptive_round_robin = scheduler.adaptive ? model::EnableState::enabled : model::EnableState::disabled;
  if (scheduler.adaptive) {
    settings.frequency = scheduler.frequency;
    settings.averaging_factor = scheduler.averaging_factor;
  } else {
    settings.timeslice_ns = scheduler.timeslice_ns;
  }
}

std::uint32_t turns(const Region& region, const Machine& machine, std::uint32_t most, void (*visit)(void*, const Turn&),
                    void* context) {
  const auto& gpu = *region.gpu;
  std::uint32_t shares[decltype(gpu.vgpu.instances)::capacity()] = {};
  std::uint32_t users = 0;
  for_each(gpu, [&](const Active& active) {
    if (region.holds(*active.instance) && has_driver(*active.instance))
      shares[users++] = active.instance->share.value_or(1);
  });
  const telemetry::Reading now(machine, gpu);
  if (users == 0 || now(gpu.utilization.gpu).value_or(0) == 0) return 0;
  const std::uint64_t slice = scheduler_of(region).timeslice_ns;
  const auto past = static_cast<std::uint64_t>(std::max<std::int64_t>(now.at_ns(), 0)) / slice;  // turns so far
  const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, past));
  for (auto turn = past - count; turn < past; ++turn) {
    const auto place = static_cast<std::uint32_t>(turn % users);
    visit(context, {(turn + 1) * slice, (turn / users + 1) * slice, place, shares[place]});
  }
  return count;
}

}  // namespace nvmlkit::sim::vgpu
