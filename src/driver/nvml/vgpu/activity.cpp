// Activity of vGPUs and of the processes in their VMs: encoder and capture sessions, utilization.
#include <algorithm>
#include <cstring>

#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/vgpu/vgpu.hpp"
#include "sim/processes/accounting.hpp"
#include "sim/processes/utilization.hpp"
#include "sim/vgpu/usage.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::model::VgpuProcess;
using sim::telemetry::Utilization;
using sim::vgpu::Active;

// Sessions belong to the VM's processes in turn; to none where no process is known.
std::uint32_t pid_of_session(const Active& active, std::uint32_t session) {
  const auto processes = active.instance->processes.span();
  return processes.empty() ? 0 : processes[session % processes.size()].pid.value_or(0);
}

// A caller with room for none asks how many there are, and that is no error.
template <class Session, class Make>
nvmlReturn_t list_sessions(std::uint32_t sessions, unsigned int* count, Session* out, Make make) {
  const auto room = *count;
  *count = sessions;
  if (room == 0 || sessions == 0) return NVML_SUCCESS;
  if (room < sessions) return NVML_ERROR_INSUFFICIENT_SIZE;
  if (!out) return NVML_ERROR_INVALID_ARGUMENT;
  for (std::uint32_t i = 0; i < sessions; ++i) out[i] = make(i);
  return NVML_SUCCESS;
}

nvmlValue_t value(std::uint32_t percent) {
  nvmlValue_t out{};
  out.uiVal = percent;
  return out;
}

// There is always a sample of this instant; `visit(now, active)` for each vGPU with a reported utilization.
template <class Visit>
nvmlReturn_t samples(const Machine& machine, const Gpu& gpu, unsigned long long last_seen, Visit visit) {
  if (!sim::vgpu::is_host(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const auto now = static_cast<unsigned long long>(sim::processes::now_us(machine));
  if (last_seen >= now) return NVML_ERROR_NOT_FOUND;
  sim::vgpu::for_each(gpu, [&](const Active& active) {
    if (sim::vgpu::tells_utilization(active)) visit(now, active);
  });
  return NVML_SUCCESS;
}

template <class Visit>
nvmlReturn_t process_samples(const Machine& machine, const Gpu& gpu, unsigned long long last_seen, Visit visit) {
  return samples(machine, gpu, last_seen, [&](unsigned long long now, const Active& active) {
    const auto whole = sim::vgpu::utilization_of(machine, active);
    for (const auto& process : active.instance->processes)
      if (!process.ended.value_or(false)) visit(now, active, process, sim::vgpu::part_of(whole, active, process));
  });
}

// A list that is empty is no list.
template <class Sample>
nvmlReturn_t end(nvmlReturn_t result, const Filling<Sample>& all, unsigned int* count) {
  if (result == NVML_SUCCESS && all.found == 0) result = NVML_ERROR_NOT_FOUND;
  return result == NVML_SUCCESS ? all.end(count) : result;
}

template <std::size_t N>
void copy_name(const VgpuProcess& process, char (&out)[N]) {
  const auto name = process.name ? process.name->view() : std::string_view();
  std::memset(out, 0, N);
  std::memcpy(out, name.data(), std::min(name.size(), N - 1));
}

}  // namespace

nvmlReturn_t VgpuInstanceGetEncoderCapacity(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                            unsigned int* encoderCapacity) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    *encoderCapacity = active.instance->encoder_capacity.value_or(100);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuInstanceSetEncoderCapacity(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                            unsigned int encoderCapacity) {
  return change_vgpu(machine, vgpuInstance, [&](sim::model::VgpuInstance& instance) {
    if (encoderCapacity > 100) return NVML_ERROR_INVALID_ARGUMENT;
    instance.encoder_capacity = encoderCapacity;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuInstanceGetEncoderStats(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                         unsigned int* sessionCount, unsigned int* averageFps,
                                         unsigned int* averageLatency) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    const auto& stats = active.instance->encoder_stats;
    *sessionCount = stats.session_count.value_or(0);
    *averageFps = stats.average_fps.value_or(0);
    *averageLatency = stats.average_latency_us.value_or(0);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuInstanceGetEncoderSessions(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                            unsigned int* sessionCount, nvmlEncoderSessionInfo_t* sessionInfo) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    const auto& stats = active.instance->encoder_stats;
    return list_sessions(stats.session_count.value_or(0), sessionCount, sessionInfo, [&](std::uint32_t i) {
      return nvmlEncoderSessionInfo_t{i + 1,
                                      pid_of_session(active, i),
                                      vgpuInstance,
                                      NVML_ENCODER_QUERY_H264,
                                      active.type->width,
                                      active.type->height,
                                      stats.average_fps.value_or(0),
                                      stats.average_latency_us.value_or(0)};
    });
  });
}

nvmlReturn_t VgpuInstanceGetFBCStats(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                     nvmlFBCStats_t* fbcStats) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    const auto& stats = active.instance->fbc_stats;
    *fbcStats = {stats.session_count.value_or(0), stats.average_fps.value_or(0), stats.average_latency_us.value_or(0)};
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuInstanceGetFBCSessions(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                        unsigned int* sessionCount, nvmlFBCSessionInfo_t* sessionInfo) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    const auto& stats = active.instance->fbc_stats;
    return list_sessions(stats.session_count.value_or(0), sessionCount, sessionInfo, [&](std::uint32_t i) {
      nvmlFBCSessionInfo_t session{};
      session.sessionId = i + 1;
      session.pid = pid_of_session(active, i);
      session.vgpuInstance = vgpuInstance;
      session.displayOrdinal = i % active.type->series->heads;
      session.sessionType = NVML_FBC_SESSION_TYPE_TOSYS;
      session.hMaxResolution = session.hResolution = active.type->width;
      session.vMaxResolution = session.vResolution = active.type->height;
      session.averageFPS = stats.average_fps.value_or(0);
      session.averageLatency = stats.average_latency_us.value_or(0);
      return session;
    });
  });
}

nvmlReturn_t DeviceGetVgpuUtilization(const Machine& machine, const Gpu& gpu, unsigned long long lastSeenTimeStamp,
                                      nvmlValueType_t* sampleValType, unsigned int* vgpuInstanceSamplesCount,
                                      nvmlVgpuInstanceUtilizationSample_t* utilizationSamples) {
  Filling<nvmlVgpuInstanceUtilizationSample_t> all{utilizationSamples, *vgpuInstanceSamplesCount};
  const auto result = samples(machine, gpu, lastSeenTimeStamp, [&](unsigned long long now, const Active& active) {
    const auto used = sim::vgpu::utilization_of(machine, active);
    all.give(
        {*active.instance->id, now, value(used.gpu), value(used.memory), value(used.encoder), value(used.decoder)});
  });
  if (result == NVML_SUCCESS) *sampleValType = NVML_VALUE_TYPE_UNSIGNED_INT;
  return end(result, all, vgpuInstanceSamplesCount);
}

nvmlReturn_t DeviceGetVgpuInstancesUtilizationInfo(const Machine& machine, const Gpu& gpu,
                                                   nvmlVgpuInstancesUtilizationInfo_t* vgpuUtilInfo) {
  Filling<nvmlVgpuInstanceUtilizationInfo_v1_t> all{vgpuUtilInfo->vgpuUtilArray, vgpuUtilInfo->vgpuInstanceCount};
  const auto result =
      samples(machine, gpu, vgpuUtilInfo->lastSeenTimeStamp, [&](unsigned long long now, const Active& active) {
        const auto used = sim::vgpu::utilization_of(machine, active);
        all.give({now, *active.instance->id, value(used.gpu), value(used.memory), value(used.encoder),
                  value(used.decoder), value(used.jpeg), value(used.ofa)});
      });
  if (result == NVML_SUCCESS) vgpuUtilInfo->sampleValType = NVML_VALUE_TYPE_UNSIGNED_INT;
  return end(result, all, &vgpuUtilInfo->vgpuInstanceCount);
}

nvmlReturn_t DeviceGetVgpuProcessUtilization(const Machine& machine, const Gpu& gpu,
                                             unsigned long long lastSeenTimeStamp,
                                             unsigned int* vgpuProcessSamplesCount,
                                             nvmlVgpuProcessUtilizationSample_t* utilizationSamples) {
  Filling<nvmlVgpuProcessUtilizationSample_t> all{utilizationSamples, *vgpuProcessSamplesCount};
  const auto result = process_samples(
      machine, gpu, lastSeenTimeStamp,
      [&](unsigned long long now, const Active& active, const VgpuProcess& process, const Utilization& used) {
        nvmlVgpuProcessUtilizationSample_t sample{};
        sample.vgpuInstance = *active.instance->id;
        sample.pid = process.pid.value_or(0);
        copy_name(process, sample.processName);
        sample.timeStamp = now;
        sample.smUtil = used.gpu;
        sample.memUtil = used.memory;
        sample.encUtil = used.encoder;
        sample.decUtil = used.decoder;
        all.give(sample);
      });
  return end(result, all, vgpuProcessSamplesCount);
}

nvmlReturn_t DeviceGetVgpuProcessesUtilizationInfo(const Machine& machine, const Gpu& gpu,
                                                   nvmlVgpuProcessesUtilizationInfo_t* vgpuProcUtilInfo) {
  Filling<nvmlVgpuProcessUtilizationInfo_v1_t> all{vgpuProcUtilInfo->vgpuProcUtilArray,
                                                   vgpuProcUtilInfo->vgpuProcessCount};
  const auto result = process_samples(
      machine, gpu, vgpuProcUtilInfo->lastSeenTimeStamp,
      [&](unsigned long long now, const Active& active, const VgpuProcess& process, const Utilization& used) {
        nvmlVgpuProcessUtilizationInfo_v1_t sample{};
        copy_name(process, sample.processName);
        sample.timeStamp = now;
        sample.vgpuInstance = *active.instance->id;
        sample.pid = process.pid.value_or(0);
        sample.smUtil = used.gpu;
        sample.memUtil = used.memory;
        sample.encUtil = used.encoder;
        sample.decUtil = used.decoder;
        sample.jpgUtil = used.jpeg;
        sample.ofaUtil = used.ofa;
        all.give(sample);
      });
  return end(result, all, &vgpuProcUtilInfo->vgpuProcessCount);
}

}  // namespace nvmlkit::driver::functions
