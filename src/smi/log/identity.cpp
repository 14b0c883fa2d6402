// What the GPU is: names, numbers, its place in a rack, its InfoROM.
#include "smi/log/mig.hpp"
#include "smi/log/platform.hpp"
#include "smi/log/row.hpp"
#include "smi/log/time.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::Device;
using nvml::InforomObject;
using nvml::PlatformInfo;

std::string hexadecimal_board_id(const Gpu& gpu) {
  return shown_as<&Device::board_id>(gpu, [](unsigned id) { return fmt::format("{:#x}", id); });
}

std::string part_number(const Gpu& gpu) {
  const auto text = gpu.private_table().gpu_part_number(gpu.device());
  return text ? *text : gpu.failure(text.error());
}

std::string fru(const Gpu& gpu) {
  const auto text = gpu.private_table().fru_part_number(gpu.device());
  return text ? *text : gpu.failure(text.error());
}

std::string addressing(const Gpu& gpu) {
  const auto public_answer = gpu->addressing_mode();
  if (public_answer) return text_of(gpu, public_answer->value);
  if (public_answer.error() != nvml::Errc::function_not_found) return gpu.failure(public_answer.error());
  const auto mode = gpu.private_table().addressing_mode(gpu.device());
  return mode ? text_of(gpu, static_cast<nvml::AddressingModeType>(*mode)) : gpu.failure(mode.error());
}

std::string pdi(const Gpu& gpu) {
  return shown_as<&Device::pdi>(gpu, [](const nvml::Pdi& pdi) { return fmt::format("{:#x}", pdi.value); });
}

template <InforomObject object>
std::string inforom(const Gpu& gpu) {
  const auto version = gpu->inforom_version(object);
  return version ? *version : gpu.failure(version.error());
}

// A GPU that has not flushed yet is not ready.
std::string flush_failure(const Gpu& gpu, const nvml::Failure& failure) {
  return failure == nvml::Errc::not_ready ? "N/A" : gpu.failure(failure);
}

std::string flush_time(const Gpu& gpu) {
  const auto flush = gpu->last_bbx_flush_time();
  if (!flush) return flush_failure(gpu, flush.error());
  const auto milliseconds = flush->timestamp.count() / 1000;
  return local_time("%Y/%m/%d %H:%M:%S", milliseconds / 1000) + fmt::format(".{:03}", milliseconds % 1000);
}

std::string flush_duration(const Gpu& gpu) {
  const auto flush = gpu->last_bbx_flush_time();
  return flush ? text_of(gpu, flush->duration_us) : flush_failure(gpu, flush.error());
}

std::string time_run(const Gpu& gpu) {
  const auto time = gpu->bbx_time_data();
  return time ? fmt::format("{} seconds", time->time_run.count()) : gpu.failure(time.error());
}

// nvidia-smi shows the place from Blackwell on; older chips answer with zeros.
template <auto read, auto... member>
std::string of_place(const Gpu& gpu) {
  return gpu.at_least(nvml::Architecture::blackwell) ? read(gpu, member...) : "N/A";
}

constexpr Versions kFirstPlatform = between(565, 570);
constexpr Versions kGuid{.first = {.since = {570, 100}}};

// clang-format off
constexpr Row kRows[] = {
    {1, "Product Name", "product_name", show<&Device::name>},
    {1, "Product Brand", "product_brand", show<&Device::brand>},
    {1, "Product Architecture", "product_architecture", show<&Gpu::architecture>},
    {1, "Display Mode", "display_mode", show<&Device::display_mode>, before(580)},
    {1, "Display Mode", "display_mode", deprecated, from(580)},
    {1, "Display Attached", "display_attached", yes_no<&Device::display_mode>, from(580)},
    {1, "Display Active", "display_active", show<&Device::display_active>},
    {1, "Persistence Mode", "persistence_mode", show<&Device::persistence_mode>},
    {1, "Addressing Mode", "addressing_mode", addressing},
    {1, "MIG Mode", "mig_mode"},
    {2, "Current", "current_mig", show<&Gpu::mig_mode, &Device::MigMode::current_mode>},
    {2, "Pending", "pending_mig", show<&Gpu::mig_mode, &Device::MigMode::pending_mode>},
    {.depth = 1, .label = "MIG Device", .element = "mig_devices", .lines = mig_device_lines},
    {1, "Accounting Mode", "accounting_mode", show<&Device::accounting_mode>, kAlways, nullptr, Section::kLog | Section::kAccounting},
    {1, "Accounting Mode Buffer Size", "accounting_mode_buffer_size", show<&Device::accounting_buffer_size>, kAlways, nullptr, Section::kLog | Section::kAccounting},
    {1, "Driver Model", "driver_model"},
    {2, "Current", "current_dm", not_available},
    {2, "Pending", "pending_dm", not_available},
    {1, "Serial Number", "serial", show<&Device::serial>},
    {1, "GPU UUID", "uuid", show<&Device::uuid>},
    {1, "GPU PDI", "pdi", pdi, from(580)},
    {1, "Minor Number", "minor_number", show<&Device::minor_number>},
    {1, "VBIOS Version", "vbios_version", show<&Device::vbios_version>},
    {1, "MultiGPU Board", "multigpu_board", yes_no<&Device::multi_gpu_board>},
    {1, "Board ID", "board_id", hexadecimal_board_id},
    {1, "Board Part Number", "board_part_number", show<&Device::board_part_number>},
    {1, "GPU Part Number", "gpu_part_number", part_number},
    {1, "FRU Part Number", "gpu_fru_part_number", fru},
    {1, "Module ID", "gpu_module_id", show<&Device::module_id>, before(565)},
    {1, "Platform Info", "platformInfo", nullptr, from(565)},
    {2, "RACK Serial Number", "rack_serial_number", of_place<platform_serial, &PlatformInfo::rack_guid>, kFirstPlatform},
    {2, "Chassis Physical Slot Number", "chassis_physical_slot_number", of_place<platform_number, &PlatformInfo::chassis_physical_slot_number>, kFirstPlatform},
    {2, "Compute Slot Index", "compute_slot_index", of_place<platform_number, &PlatformInfo::compute_slot_index>, kFirstPlatform},
    {2, "Node Index", "node_index", of_place<platform_number, &PlatformInfo::node_index>, kFirstPlatform},
    {2, "Chassis Serial Number", "chassis_serial_number", of_place<platform_serial, &PlatformInfo::chassis_serial_number>, from(570)},
    {2, "Slot Number", "slot_number", of_place<platform_number, &PlatformInfo::slot_number>, from(570)},
    {2, "Tray Index", "tray_index", of_place<platform_number, &PlatformInfo::tray_index>, from(570)},
    {2, "Host ID", "host_id", of_place<platform_number, &PlatformInfo::host_id>, from(570)},
    {2, "Peer Type", "peer_type", of_place<platform_peers>},
    {2, "Module Id", "module_id", show<&Device::module_id>},
    {2, "GPU Fabric GUID", "gpu_fabric_guid", of_place<platform_guid>, kGuid},
    {1, "Inforom Version", "inforom_version"},
    {2, "Image Version", "img_version", show<&Device::inforom_image_version>},
    {2, "OEM Object", "oem_object", inforom<InforomObject::oem>},
    {2, "ECC Object", "ecc_object", inforom<InforomObject::ecc>},
    {2, "Power Management Object", "pwr_object", inforom<InforomObject::power>},
    {1, "Inforom BBX Object Flush", "inforom_bbx_flush"},
    {2, "Latest Timestamp", "latest_timestamp", flush_time},
    {2, "Latest Duration", "latest_duration", flush_duration},
    {1, "Inforom Time Data", "inforom_time_data", nullptr, from(610)},
    {2, "Time Run", "time_run", time_run},
};
// clang-format on

}  // namespace

std::span<const Row> identity_rows() { return kRows; }

}  // namespace nvmlkit::smi
