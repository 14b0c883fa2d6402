#include "driver/cuda/device/activity.hpp"

#include <unistd.h>

#include "driver/cuda/mps/mps.hpp"
#include "sim/faults/inject.hpp"
#include "sim/processes/clients.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/lock.hpp"
#include "sim/telemetry/change.hpp"
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

}  // namespace

void Activity::tick() {
  const auto now = sim::now_ns(device_.machine());
  auto last = device_.busy_since_ns.load(std::memory_order_relaxed);
  if (last != 0 && now - last < kRenewalNs) return;
  if (!device_.busy_since_ns.compare_exchange_strong(last, now)) return;
  edit(device_, [&](sim::model::Gpu& gpu) {
    // A load without end was set by a user, and stays.
    if (gpu.workload.gpu && gpu.motion.until_ns == 0) return false;
    sim::model::Workload workload;
    workload.gpu = 97u;
    workload.memory = 38u;
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
