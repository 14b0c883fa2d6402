#include "driver/nvml/processes.hpp"

#include <chrono>

#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/read.hpp"

namespace nvmlkit::driver {

bool runs_as(const sim::model::Process& process, ProcessKind kind) {
  const auto type = process.type ? process.type->view() : std::string_view("C");
  return type.find(static_cast<char>(kind)) != std::string_view::npos;
}

unsigned long long used_bytes(const sim::model::Process& process) {
  return process.used_memory_mib ? *process.used_memory_mib << 20 : ~0ULL;  // NVML_VALUE_NOT_AVAILABLE
}

namespace functions {
namespace {

constexpr unsigned int kNoInstance = 0xFFFFFFFF;

// Calls `write(i, process)` for every process of the kind, or says how many there are.
template <class Write>
nvmlReturn_t list(const Gpu& gpu, ProcessKind kind, unsigned int* count, bool has_buffer, Write write) {
  unsigned int needed = 0;
  for (const auto& process : gpu.processes) needed += runs_as(process, kind);
  const auto room = *count;
  *count = needed;
  if (needed == 0) return NVML_SUCCESS;
  if (room < needed) return NVML_ERROR_INSUFFICIENT_SIZE;
  if (!has_buffer) return NVML_ERROR_INVALID_ARGUMENT;
  unsigned int i = 0;
  for (const auto& process : gpu.processes)
    if (i < needed && runs_as(process, kind)) write(i++, process);  // the list may be changing
  return NVML_SUCCESS;
}

// The oldest entry points write elements of 16 bytes.
nvmlReturn_t list_v1(const Gpu& gpu, ProcessKind kind, unsigned int* count, nvmlProcessInfo_v1_t* infos) {
  return list(gpu, kind, count, infos != nullptr, [&](unsigned int i, const sim::model::Process& process) {
    infos[i] = {process.pid.value_or(0), used_bytes(process)};
  });
}

nvmlReturn_t list_v2(const Gpu& gpu, ProcessKind kind, unsigned int* count, nvmlProcessInfo_v2_t* infos) {
  return list(gpu, kind, count, infos != nullptr, [&](unsigned int i, const sim::model::Process& process) {
    infos[i] = {process.pid.value_or(0), used_bytes(process), kNoInstance, kNoInstance};
  });
}

}  // namespace

nvmlReturn_t DeviceGetComputeRunningProcesses(const Machine&, const Gpu& gpu, unsigned int* infoCount,
                                              nvmlProcessInfo_v1_t* infos) {
  return list_v1(gpu, ProcessKind::compute, infoCount, infos);
}

nvmlReturn_t DeviceGetComputeRunningProcesses_v2(const Machine&, const Gpu& gpu, unsigned int* infoCount,
                                                 nvmlProcessInfo_v2_t* infos) {
  return list_v2(gpu, ProcessKind::compute, infoCount, infos);
}

nvmlReturn_t DeviceGetComputeRunningProcesses_v3(const Machine&, const Gpu& gpu, unsigned int* infoCount,
                                                 nvmlProcessInfo_t* infos) {
  return list_v2(gpu, ProcessKind::compute, infoCount, infos);
}

nvmlReturn_t DeviceGetGraphicsRunningProcesses(const Machine&, const Gpu& gpu, unsigned int* infoCount,
                                               nvmlProcessInfo_v1_t* infos) {
  return list_v1(gpu, ProcessKind::graphics, infoCount, infos);
}

nvmlReturn_t DeviceGetGraphicsRunningProcesses_v2(const Machine&, const Gpu& gpu, unsigned int* infoCount,
                                                  nvmlProcessInfo_v2_t* infos) {
  return list_v2(gpu, ProcessKind::graphics, infoCount, infos);
}

nvmlReturn_t DeviceGetGraphicsRunningProcesses_v3(const Machine&, const Gpu& gpu, unsigned int* infoCount,
                                                  nvmlProcessInfo_t* infos) {
  return list_v2(gpu, ProcessKind::graphics, infoCount, infos);
}

nvmlReturn_t DeviceGetMPSComputeRunningProcesses(const Machine&, const Gpu& gpu, unsigned int* infoCount,
                                                 nvmlProcessInfo_v1_t* infos) {
  return list_v1(gpu, ProcessKind::mps, infoCount, infos);
}

nvmlReturn_t DeviceGetMPSComputeRunningProcesses_v2(const Machine&, const Gpu& gpu, unsigned int* infoCount,
                                                    nvmlProcessInfo_v2_t* infos) {
  return list_v2(gpu, ProcessKind::mps, infoCount, infos);
}

nvmlReturn_t DeviceGetMPSComputeRunningProcesses_v3(const Machine&, const Gpu& gpu, unsigned int* infoCount,
                                                    nvmlProcessInfo_t* infos) {
  return list_v2(gpu, ProcessKind::mps, infoCount, infos);
}

nvmlReturn_t DeviceGetRunningProcessDetailList(const Machine&, const Gpu& gpu, nvmlProcessDetailList_t* plist) {
  static constexpr ProcessKind kinds[] = {ProcessKind::compute, ProcessKind::graphics, ProcessKind::mps};
  if (plist->mode >= std::size(kinds)) return NVML_ERROR_INVALID_ARGUMENT;
  auto* out = plist->procArray;
  return list(gpu, kinds[plist->mode], &plist->numProcArrayEntries, out != nullptr,
              [&](unsigned int i, const sim::model::Process& process) {
                out[i] = {process.pid.value_or(0), used_bytes(process), kNoInstance, kNoInstance, 0};
              });
}

// Samples are as old as the call: the machine stands still yet.
nvmlReturn_t DeviceGetProcessUtilization(const Machine&, const Gpu& gpu, nvmlProcessUtilizationSample_t* utilization,
                                         unsigned int* processSamplesCount, unsigned long long lastSeenTimeStamp) {
  const auto processes = gpu.processes.span();
  const auto now = static_cast<unsigned long long>(
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
  if (processes.empty() || lastSeenTimeStamp >= now) return NVML_ERROR_NOT_FOUND;
  if (!utilization) {
    *processSamplesCount = static_cast<unsigned int>(processes.size());
    return NVML_ERROR_INSUFFICIENT_SIZE;
  }
  return fill(processes, processSamplesCount, utilization, [&](const sim::model::Process& process) {
    return nvmlProcessUtilizationSample_t{process.pid.value_or(0),      now,
                                          process.sm_util.value_or(0),  process.mem_util.value_or(0),
                                          process.enc_util.value_or(0), process.dec_util.value_or(0)};
  });
}

}  // namespace functions
}  // namespace nvmlkit::driver
