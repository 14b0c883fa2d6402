// Modes that are set, and the state of the driver's parts.
#include "smi/log/row.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::Device;
using nvml::FieldId;

std::string c2c(const Gpu& gpu) {
  return shown_as<&Device::c2c_mode_info>(gpu,
                                          [&](const nvml::C2cMode& mode) { return text_of(gpu, mode.is_c2c_enabled); });
}

std::string host_mode(const Gpu& gpu) { return show<&Device::host_vgpu_mode>(gpu); }

std::string heterogeneous_mode(const Gpu& gpu) {
  const auto mode = gpu->vgpu_heterogeneous_mode();
  return mode ? text_of(gpu, mode->mode != 0) : gpu.failure(mode.error());
}

// 535 and 550 read public fields, 555 private ones.
std::string reset_state(const Gpu& gpu, FieldId id, unsigned private_id) {
  auto answer = number_of(gpu.field(id));
  if (!answer) {
    const auto other = gpu.private_table().private_field(gpu.device(), private_id);
    if (other) answer = static_cast<unsigned long long>(*other);
  }
  return answer ? (*answer != 0 ? "Yes" : "No") : gpu.failure(answer.error());
}
std::string reset_required(const Gpu& gpu) { return reset_state(gpu, FieldId::dev_reset_status, 4); }
std::string drain_recommended(const Gpu& gpu) { return reset_state(gpu, FieldId::dev_drain_and_reset_status, 5); }

std::string recovery_action(const Gpu& gpu) {
  constexpr const char* kActions[] = {"None", "Reset", "Reboot", "Drain P2P", "Drain and Reset"};
  const auto answer = number_of(gpu.field(FieldId::dev_get_gpu_recovery_action));
  if (!answer) return gpu.failure(answer.error());
  return *answer < std::size(kActions) ? kActions[*answer] : "Unknown";
}

std::string relaxed_ordering(const Gpu& gpu) {
  const auto mode = gpu.private_table().private_field(gpu.device(), 1);
  return mode ? text_of(gpu, *mode != 0) : gpu.failure(mode.error());
}

constexpr Versions kResetStatus = before(580);

// clang-format off
constexpr Row kModeRows[] = {
    {1, "GPU Operation Mode", "gpu_operation_mode"},
    {2, "Current", "current_gom", show<&Device::gpu_operation_mode, &Device::GpuOperationMode::current>},
    {2, "Pending", "pending_gom", show<&Device::gpu_operation_mode, &Device::GpuOperationMode::pending>},
    {1, "GSP Firmware Version", "gsp_firmware_version", show<&Device::gsp_firmware_version>, before(550)},
    {1, "GPU C2C Mode", "c2c_mode", c2c, from(550)},
    {1, "GPU Virtualization Mode", "gpu_virtualization_mode"},
    {2, "Virtualization Mode", "virtualization_mode", show<&Device::virtualization_mode>},
    {2, "Host VGPU Mode", "host_vgpu_mode", host_mode},
    {2, "vGPU Heterogeneous Mode", "vgpu_heterogeneous_mode", heterogeneous_mode, from(550)},
    {1, "GPU Reset Status", "gpu_reset_status", nullptr, kResetStatus, nullptr, Section::kLog | Section::kResetStatus},
    {2, "Reset Required", "reset_required", reset_required, before(570)},
    {2, "Drain and Reset Recommended", "drain_and_reset_recommended", drain_recommended, before(570)},
    {2, "Reset Required", "reset_required", deprecated, from(570)},
    {2, "Drain and Reset Recommended", "drain_and_reset_recommended", deprecated, from(570)},
    {1, "GPU Recovery Action", "gpu_recovery_action", recovery_action, from(565)},
    {1, "GSP Firmware Version", "gsp_firmware_version", show<&Device::gsp_firmware_version>, from(550), nullptr, Section::kLog | Section::kGspFirmware},
    {1, "IBMNPU", "ibmnpu"},
    {2, "Relaxed Ordering Mode", "relaxed_ordering_mode", relaxed_ordering},
};
// clang-format on

}  // namespace

std::span<const Row> mode_rows() { return kModeRows; }

}  // namespace nvmlkit::smi
