#include "driver/cuda/device/activity.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "driver/cuda/mps/mps.hpp"
#include "sim/faults/inject.hpp"
#include "sim/processes/clients.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/lock.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/telemetry/mix.hpp"
#include "sim/transaction/edit.hpp"

namespace nvmlkit::cuda {
namespace {

namespace processes = sim::processes;

constexpr double kBusySeconds = 1.0;
constexpr std::int64_t kRenewalNs = 250'000'000;

std::size_t place_of(const Device& device) { return device.machine().index_of(device.gpu()); }

template <class Change>
void edit(Device& device, Change change) {
  const sim::state::Lock lock(device.machine());
  if (!lock) return;
  sim::transaction::Edit gpu(lock, place_of(device));
  if (!gpu) return;
  if (change(*gpu)) gpu.commit();
}

using Shares = std::array<double, host_kernels::pipe_count>;

// Of the time that kernels ran for since the last report; `now` is the pipe of the one that runs.
Shares take_shares(Device& device, host_kernels::Pipe now) {
  Shares out{};
  double all = 0;
  for (std::size_t k = 0; k < out.size(); ++k) all += out[k] = static_cast<double>(device.worked_ns[k].exchange(0));
  if (all <= 0) out[now] = all = 1;
  for (auto& share : out) share /= all;
  return out;
}

// The machine's own mix tells how busy units for matrices are while a product of matrices runs, of all types together.
// Kernels of another pipe keep that one as busy in place of them.
void set_mix(sim::model::WorkloadMix& out, const Shares& shares, const sim::telemetry::Mix& own) {
  using sim::telemetry::Pipe;
  const double matrices = std::min<double>(own[Pipe::hmma] + own[Pipe::imma] + own[Pipe::dfma], 100);
  const auto percent = [&](double before, host_kernels::Pipe pipe) {
    return static_cast<std::uint32_t>(std::lround(std::min(before + matrices * shares[pipe], 100.0)));
  };
  out.hmma = percent(0, host_kernels::pipe_hmma);
  out.imma = percent(0, host_kernels::pipe_imma);
  out.dfma = percent(0, host_kernels::pipe_dfma);
  out.fp64 = percent(own[Pipe::fp64], host_kernels::pipe_fp64);
  out.fp32 = percent(own[Pipe::fp32], host_kernels::pipe_fp32);
  out.fp16 = percent(own[Pipe::fp16], host_kernels::pipe_fp16);
}

}  // namespace

Activity::Activity(Device& device, host_kernels::Pipe pipe)
    : device_(device), pipe_(pipe), counted_ns_(sim::now_ns(device.machine())) {
  tick();
}

void Activity::tick() {
  const auto now = sim::now_ns(device_.machine());
  device_.worked_ns[pipe_].fetch_add(now - counted_ns_, std::memory_order_relaxed);
  counted_ns_ = now;
  auto last = device_.busy_since_ns.load(std::memory_order_relaxed);
  if (last != 0 && now - last < kRenewalNs) return;
  if (!device_.busy_since_ns.compare_exchange_strong(last, now)) return;
  const auto shares = take_shares(device_, pipe_);
  edit(device_, [&](sim::model::Gpu& gpu) {
    // A load without end was set by a user, and stays.
    if (gpu.workload.gpu && gpu.motion.until_ns == 0) return false;
    sim::model::Workload workload;
    workload.gpu = 97u;
    workload.memory = 38u;
    set_mix(workload.mix, shares, sim::telemetry::mix_at_rest(gpu));
    sim::telemetry::load(gpu, workload, now, kBusySeconds);
    return true;
  });
}

void raise_xid(Device& device, unsigned xid) {
  edit(device, [&](sim::model::Gpu& gpu) {
    sim::faults::raise_xid(gpu, xid);
    return true;
  });
}

CUresult begin_use(Device& device) {
  processes::Request request;
  request.pid = static_cast<std::uint32_t>(getpid());
  request.kinds = mps::kinds();
  request.memory_bytes = 0;
  request.signs_life = true;
  if (const auto& mig = device.mig()) {
    request.gpu_instance = mig->instance;
    request.compute_instance = mig->compute;
  }
  switch (processes::attach(device.machine(), place_of(device), request)) {
    case processes::Outcome::prohibited:
    case processes::Outcome::exclusive:
    case processes::Outcome::draining:
    case processes::Outcome::reset_first:
    case processes::Outcome::unreachable:
      return CUDA_ERROR_DEVICE_UNAVAILABLE;
    default:  // a machine that may only be read runs the program all the same
      return CUDA_SUCCESS;
  }
}

void end_use(Device& device) {
  processes::detach(device.machine(), place_of(device), static_cast<std::uint32_t>(getpid()));
}

void report_memory(Device& device, std::uint64_t bytes) {
  const auto& mig = device.mig();
  processes::set_memory(device.machine(), place_of(device), static_cast<std::uint32_t>(getpid()), bytes,
                        mig ? mig->instance : processes::kNoInstance, mig ? mig->compute : processes::kNoInstance);
}

}  // namespace nvmlkit::cuda
