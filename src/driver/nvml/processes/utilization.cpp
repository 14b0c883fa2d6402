#include "sim/processes/utilization.hpp"

#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/processes/processes.hpp"
#include "sim/processes/accounting.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::processes::Utilization;

// Calls `visit(pid, utilization)` for every process that used the GPU.
template <class Visit>
void for_each_user(const Machine& machine, const Gpu& gpu, Visit visit) {
  using namespace sim::processes;
  for (const auto& process : gpu.processes)
    if (const auto used = utilization_of(process); used.any()) visit(process.pid.value_or(0), used);
  const auto index = machine.index_of(gpu);
  const auto shared = shared_utilization(machine, gpu, index);
  if (!shared.percent.any()) return;
  for_each_client(machine, index, [&](const Client& client, Life life) {
    if (const auto used = shared.of(client); life == Life::runs && used.any()) visit(client.pid, used);
  });
}

// There is always a sample of this instant, and it is newer than what the caller has seen.
template <class Sample, class Convert>
nvmlReturn_t samples(const Machine& machine, const Gpu& gpu, unsigned long long last_seen, unsigned int* count,
                     Sample* out, Convert convert) {
  const auto now = static_cast<unsigned long long>(sim::processes::now_us(machine));
  const auto room = *count;
  unsigned int found = 0;
  if (last_seen < now)
    for_each_user(machine, gpu, [&](unsigned int pid, const Utilization& used) {
      if (out && found < room) out[found] = convert(now, pid, used);
      ++found;
    });
  if (found == 0) return NVML_ERROR_NOT_FOUND;
  *count = found;
  return !out || found > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t DeviceGetProcessUtilization(const Machine& machine, const Gpu& gpu,
                                         nvmlProcessUtilizationSample_t* utilization, unsigned int* processSamplesCount,
                                         unsigned long long lastSeenTimeStamp) {
  return samples(machine, gpu, lastSeenTimeStamp, processSamplesCount, utilization,
                 [](unsigned long long now, unsigned int pid, const Utilization& used) {
                   return nvmlProcessUtilizationSample_t{pid, now, used.gpu, used.memory, used.encoder, used.decoder};
                 });
}

nvmlReturn_t DeviceGetProcessesUtilizationInfo(const Machine& machine, const Gpu& gpu,
                                               nvmlProcessesUtilizationInfo_t* procesesUtilInfo) {
  return samples(machine, gpu, procesesUtilInfo->lastSeenTimeStamp, &procesesUtilInfo->processSamplesCount,
                 procesesUtilInfo->procUtilArray,
                 [](unsigned long long now, unsigned int pid, const Utilization& used) {
                   return nvmlProcessUtilizationInfo_v1_t{now,          pid,          used.gpu,  used.memory,
                                                          used.encoder, used.decoder, used.jpeg, used.ofa};
                 });
}

}  // namespace nvmlkit::driver::functions
