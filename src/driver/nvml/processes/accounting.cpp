// Accounting of processes. The first function that is called removes ended clients, so that their records get an end;
// these functions therefore do not use the generated read of the machine.
#include "sim/processes/accounting.hpp"

#include <optional>

#include "driver/nvml/call/access.hpp"
#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::processes::Record;

// `read` sees every record; while accounting is off there is none.
template <class Read>
nvmlReturn_t with_records(const Machine& machine, const Gpu& gpu, Read read) {
  sim::processes::remove_ended(machine, machine.index_of(gpu));
  return consistent(machine, machine.sequence(gpu), [&]() -> nvmlReturn_t {
    if (!gpu.accounting.mode) return NVML_ERROR_NOT_SUPPORTED;
    if (!sim::processes::accounting_is_on(gpu)) return NVML_ERROR_NOT_FOUND;
    return read();
  });
}

// Of several processes with one number the one that began last.
nvmlReturn_t find(const Machine& machine, const Gpu& gpu, unsigned int pid, std::optional<Record>& out) {
  return with_records(machine, gpu, [&] {
    out.reset();
    sim::processes::for_each_record(machine, gpu, machine.index_of(gpu), [&](const Record& record) {
      if (record.pid == pid) out = record;
    });
    return out ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
  });
}

unsigned long long microseconds(std::int64_t since_1970) { return static_cast<unsigned long long>(since_1970); }

}  // namespace

nvmlReturn_t DeviceGetAccountingStats(const Machine& machine, const Gpu& gpu, unsigned int pid,
                                      nvmlAccountingStats_t* stats) {
  std::optional<Record> record;
  if (const auto result = find(machine, gpu, pid, record); result != NVML_SUCCESS) return result;
  *stats = {record->gpu_percent,
            record->memory_percent,
            record->max_memory_bytes,
            record->time_ms,
            microseconds(record->began_us),
            record->running,
            {}};
  return NVML_SUCCESS;
}

// Sums over samples of one period each, all of them alike.
nvmlReturn_t DeviceGetAccountingStats_v2(const Machine& machine, const Gpu& gpu, nvmlAccountingStats_v2_t* stats) {
  std::optional<Record> record;
  if (const auto result = find(machine, gpu, stats->pid, record); result != NVML_SUCCESS) return result;
  const auto period_us = gpu.utilization.sampling_period_us.value_or(0);
  const auto run_us = record->running ? sim::processes::now_us(machine) - record->began_us
                                      : static_cast<std::int64_t>(record->time_ms * 1000);
  const auto samples = period_us > 0 && run_us > 0 ? static_cast<unsigned int>(run_us / period_us) : 0;
  stats->isRunning = record->running;
  stats->gpuUtilization = record->gpu_percent;
  stats->memoryUtilization = record->memory_percent;
  stats->maxMemoryUsage = record->max_memory_bytes;
  stats->sampleCount = samples;
  stats->sumGpuUtil = std::uint64_t{samples} * record->gpu_percent;
  stats->sumFbUtil = std::uint64_t{samples} * record->memory_percent;
  stats->time = record->time_ms;
  stats->startTime = microseconds(record->began_us);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetAccountingPids(const Machine& machine, const Gpu& gpu, unsigned int* count, unsigned int* pids) {
  const auto room = *count;
  // Captures of GPUs whose accounting is off show an empty list, not a refusal.
  if (gpu.accounting.mode && !sim::processes::accounting_is_on(gpu)) {
    *count = 0;
    return NVML_SUCCESS;
  }
  return with_records(machine, gpu, [&] {
    unsigned int found = 0;
    sim::processes::for_each_record(machine, gpu, machine.index_of(gpu), [&](const Record& record) {
      if (pids && found < room) pids[found] = record.pid;
      ++found;
    });
    *count = found;
    if (found > room) return NVML_ERROR_INSUFFICIENT_SIZE;
    return found > 0 && !pids ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
  });
}

nvmlReturn_t DeviceClearAccountingPids(const Machine& machine, const Gpu& gpu) {
  const auto index = machine.index_of(gpu);
  sim::processes::remove_ended(machine, index);
  return edit_gpu(machine, gpu, [&](Gpu& changed) {
    if (!changed.accounting.mode) return NVML_ERROR_NOT_SUPPORTED;
    sim::processes::forget_ended(machine, changed, index);
    return NVML_SUCCESS;
  });
}

// Each switch begins an accounting of its own.
nvmlReturn_t DeviceSetAccountingMode(const Machine&, Gpu& gpu, nvmlEnableState_t mode) {
  if (!gpu.accounting.mode) return NVML_ERROR_NOT_SUPPORTED;
  if (static_cast<nvmlEnableState_t>(*gpu.accounting.mode) != mode) sim::processes::forget_all(gpu);
  gpu.accounting.mode = mode;
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
