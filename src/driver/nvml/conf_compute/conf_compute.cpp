// Confidential computing. It is Not Supported on machines without a capable GPU.
#include <algorithm>

#include "driver/nvml/call/read.hpp"
#include "driver/nvml/conf_compute/attestation.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/processes/memory.hpp"
#include "sim/state/lock.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::model::EnableState;
using Settings = sim::model::SystemConfCompute;

bool capable(const Gpu& gpu) { return gpu.features.confidential_compute.value_or(false); }

bool capable(const Machine& machine) {
  return std::any_of(machine.gpus().begin(), machine.gpus().end(), [](const Gpu& gpu) { return capable(gpu); });
}

// From Hopper on drivers tell the state, also of GPUs that cannot.
bool tells_state(const Machine& machine) {
  return std::any_of(machine.gpus().begin(), machine.gpus().end(), [](const Gpu& gpu) {
    return capable(gpu) || sim::is_from(gpu, sim::model::Architecture::hopper);
  });
}

const Settings& settings_of(const Machine& machine) { return machine.system().conf_compute; }

bool feature_enabled(const Machine& machine) {
  return capable(machine) && settings_of(machine).feature.value_or(EnableState::disabled) == EnableState::enabled;
}

bool protects_pcie(const Machine& machine) {
  return settings_of(machine).multi_gpu_mode.value_or(CC_SYSTEM_MULTIGPU_NONE) ==
         static_cast<unsigned int>(CC_SYSTEM_MULTIGPU_PROTECTED_PCIE);
}

unsigned int environment_of(const Machine& machine) {
  const bool used = feature_enabled(machine) || protects_pcie(machine);
  return settings_of(machine).environment.value_or(used ? CC_SYSTEM_ENVIRONMENT_PROD
                                                        : CC_SYSTEM_ENVIRONMENT_UNAVAILABLE);
}

unsigned int dev_tools_mode_of(const Machine& machine) {
  return settings_of(machine).dev_tools_mode.value_or(EnableState::disabled);
}

// Puts `changed(settings)` in the settings' place.
template <class Change>
nvmlReturn_t change_settings(const Machine& machine, Change change) {
  const sim::state::Lock lock(machine);
  if (lock.refusal() == sim::state::Refusal::read_only) return NVML_ERROR_NO_PERMISSION;
  if (!lock) return NVML_ERROR_TIMEOUT;
  Settings changed = settings_of(machine);
  if (const auto result = change(changed); result != NVML_SUCCESS) return result;
  return lock.replace(settings_of(machine), changed) ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

}  // namespace

nvmlReturn_t SystemGetConfComputeCapabilities(const Machine& machine, nvmlConfComputeSystemCaps_t* capabilities) {
  if (!tells_state(machine)) return NVML_ERROR_NOT_SUPPORTED;
  capabilities->cpuCaps = settings_of(machine).cpu_caps.value_or(CC_SYSTEM_CPU_CAPS_NONE);
  capabilities->gpusCaps = capable(machine) ? CC_SYSTEM_GPUS_CC_CAPABLE : CC_SYSTEM_GPUS_CC_NOT_CAPABLE;
  return NVML_SUCCESS;
}

nvmlReturn_t SystemGetConfComputeState(const Machine& machine, nvmlConfComputeSystemState_t* state) {
  if (!tells_state(machine)) return NVML_ERROR_NOT_SUPPORTED;
  state->environment = environment_of(machine);
  state->ccFeature = feature_enabled(machine) ? CC_SYSTEM_FEATURE_ENABLED : CC_SYSTEM_FEATURE_DISABLED;
  state->devToolsMode = dev_tools_mode_of(machine);
  return NVML_SUCCESS;
}

nvmlReturn_t SystemGetConfComputeSettings(const Machine& machine, nvmlSystemConfComputeSettings_t* settings) {
  nvmlConfComputeSystemState_t state{};
  if (const auto result = SystemGetConfComputeState(machine, &state); result != NVML_SUCCESS) return result;
  settings->environment = state.environment;
  settings->ccFeature = state.ccFeature;
  settings->devToolsMode = state.devToolsMode;
  settings->multiGpuMode = settings_of(machine).multi_gpu_mode.value_or(CC_SYSTEM_MULTIGPU_NONE);
  return NVML_SUCCESS;
}

// One state for all GPUs, or no answer.
nvmlReturn_t SystemGetConfComputeSettings_v2(const Machine& machine, nvmlSystemConfComputeSettings_v2_t* settings) {
  nvmlSystemConfComputeSettings_t common{};
  if (const auto result = SystemGetConfComputeSettings(machine, &common); result != NVML_SUCCESS) return result;
  const auto of_host = settings_of(machine).tdisp_state.value_or(0);
  const auto state_of = [&](const Gpu& gpu) { return gpu.conf_compute.tdisp_state.value_or(of_host); };
  const auto gpus = machine.gpus();
  const auto state = gpus.empty() ? of_host : state_of(gpus.front());
  if (std::any_of(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return state_of(gpu) != state; }))
    return NVML_ERROR_UNKNOWN;
  settings->environment = common.environment;
  settings->ccFeature = common.ccFeature;
  settings->devToolsMode = common.devToolsMode;
  settings->multiGpuMode = common.multiGpuMode;
  settings->tdispState = state;
  return NVML_SUCCESS;
}

nvmlReturn_t SystemGetConfComputeGpusReadyState(const Machine& machine, unsigned int* isAcceptingWork) {
  if (!capable(machine)) return NVML_ERROR_NOT_SUPPORTED;  // told with the feature off too
  *isAcceptingWork = settings_of(machine).accepts_work.value_or(false) ? 1 : 0;
  return NVML_SUCCESS;
}

nvmlReturn_t SystemSetConfComputeGpusReadyState(const Machine& machine, unsigned int isAcceptingWork) {
  if (!feature_enabled(machine)) return NVML_ERROR_NOT_SUPPORTED;
  if (isAcceptingWork > 1) return NVML_ERROR_INVALID_ARGUMENT;
  return change_settings(machine, [&](Settings& settings) {
    settings.accepts_work = isAcceptingWork != 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t SystemGetConfComputeKeyRotationThresholdInfo(
    const Machine& machine, nvmlConfComputeGetKeyRotationThresholdInfo_t* pKeyRotationThrInfo) {
  if (!capable(machine)) return NVML_ERROR_NOT_SUPPORTED;
  pKeyRotationThrInfo->attackerAdvantage = settings_of(machine).max_attacker_advantage.value_or(60);
  return NVML_SUCCESS;
}

// The threshold is fixed once GPUs accept work.
nvmlReturn_t SystemSetConfComputeKeyRotationThresholdInfo(
    const Machine& machine, nvmlConfComputeSetKeyRotationThresholdInfo_t* pKeyRotationThrInfo) {
  if (!feature_enabled(machine)) return NVML_ERROR_NOT_SUPPORTED;
  const auto wanted = pKeyRotationThrInfo->maxAttackerAdvantage;
  if (wanted < CC_KEY_ROTATION_THRESHOLD_ATTACKER_ADVANTAGE_MIN ||
      wanted > CC_KEY_ROTATION_THRESHOLD_ATTACKER_ADVANTAGE_MAX)
    return NVML_ERROR_INVALID_ARGUMENT;
  return change_settings(machine, [&](Settings& settings) {
    if (settings.accepts_work.value_or(false)) return NVML_ERROR_INVALID_STATE;
    settings.max_attacker_advantage = wanted;
    return NVML_SUCCESS;
  });
}

// All memory is protected but for what is set apart; without confidential computing none is, and
// what the driver keeps for itself does not count.
nvmlReturn_t DeviceGetConfComputeMemSizeInfo(const Machine& machine, const Gpu& gpu,
                                             nvmlConfComputeMemSizeInfo_t* memInfo) {
  if (!capable(gpu) || !gpu.memory.total_bytes) return NVML_ERROR_NOT_SUPPORTED;
  const bool on = feature_enabled(machine);
  const auto total = (*gpu.memory.total_bytes - (on ? 0 : gpu.memory.reserved_bytes.value_or(0))) / 1024;
  const auto apart = gpu.conf_compute.unprotected_memory_kib.value_or(0);
  memInfo->unprotectedMemSizeKib = on ? std::min<unsigned long long>(apart, total) : total;
  memInfo->protectedMemSizeKib = total - memInfo->unprotectedMemSizeKib;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceSetConfComputeUnprotectedMemSize(const Machine& machine, Gpu& gpu, unsigned long long sizeKiB) {
  if (!capable(gpu) || !feature_enabled(machine) || !gpu.memory.total_bytes) return NVML_ERROR_NOT_SUPPORTED;
  if (sizeKiB > *gpu.memory.total_bytes / 1024) return NVML_ERROR_INVALID_ARGUMENT;
  gpu.conf_compute.unprotected_memory_kib = sizeKiB;
  return NVML_SUCCESS;
}

// The machine file's value; else, while confidential computing is on, used memory is protected.
nvmlReturn_t DeviceGetConfComputeProtectedMemoryUsage(const Machine& machine, const Gpu& gpu, nvmlMemory_t* memory) {
  const auto& protected_memory = gpu.protected_memory;
  if (!protected_memory.total_bytes) return NVML_ERROR_NOT_SUPPORTED;
  memory->total = *protected_memory.total_bytes;
  memory->used = protected_memory.used_bytes.value_or(0);
  nvmlConfComputeMemSizeInfo_t sizes{};
  if (memory->total == 0 && feature_enabled(machine) &&
      DeviceGetConfComputeMemSizeInfo(machine, gpu, &sizes) == NVML_SUCCESS) {
    const auto now = sim::processes::memory_of(machine, gpu, machine.index_of(gpu));
    memory->total = sizes.protectedMemSizeKib * 1024;
    memory->used = std::min<unsigned long long>(now.used + now.reserved, memory->total);
  }
  memory->free = memory->total - std::min(memory->used, memory->total);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetConfComputeGpuCertificate(const Machine& machine, const Gpu& gpu,
                                                nvmlConfComputeGpuCertificate_t* gpuCert) {
  if (!capable(gpu) || !(feature_enabled(machine) || protects_pcie(machine))) return NVML_ERROR_NOT_SUPPORTED;
  gpuCert->certChainSize = attestation::write_certificates(gpu, "identity", gpuCert->certChain);
  gpuCert->attestationCertChainSize =
      attestation::write_certificates(gpu, "attestation", gpuCert->attestationCertChain);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetConfComputeGpuAttestationReport(const Machine& machine, const Gpu& gpu,
                                                      nvmlConfComputeGpuAttestationReport_t* gpuAtstReport) {
  if (!capable(gpu) || !(feature_enabled(machine) || protects_pcie(machine))) return NVML_ERROR_NOT_SUPPORTED;
  const bool cec = gpu.conf_compute.cec_attestation.value_or(false);
  auto& out = *gpuAtstReport;
  out.attestationReportSize = attestation::write_report(gpu, "gpu", out.nonce, out.attestationReport);
  out.isCecAttestationReportPresent = cec ? CC_CEC_ATTESTATION_REPORT_PRESENT : CC_CEC_ATTESTATION_REPORT_NOT_PRESENT;
  out.cecAttestationReportSize = cec ? attestation::write_report(gpu, "cec", out.nonce, out.cecAttestationReport) : 0;
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
