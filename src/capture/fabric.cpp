// The NVLink fabric and the place in a rack.
#include <fmt/format.h>

#include "capture/parts.hpp"

namespace nvmlkit::capture {
namespace {

std::string bytes(const std::string& hexadecimal) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2)
    out += static_cast<char>(std::stoul(hexadecimal.substr(i, 2), nullptr, 16));
  return out;
}

std::string uuid(const std::string& hexadecimal) {
  if (hexadecimal.size() != 32) return {};
  return fmt::format("{}-{}-{}-{}-{}", hexadecimal.substr(0, 8), hexadecimal.substr(8, 4), hexadecimal.substr(12, 4),
                     hexadecimal.substr(16, 4), hexadecimal.substr(20));
}

void record_registration(Record& gpu) {
  for (const char* question :
       {"nvmlDeviceGetGpuFabricInfoV", "nvmlDeviceGetGpuFabricInfoV version 2", "nvmlDeviceGetGpuFabricInfo"}) {
    const auto* info = gpu.ask(question, "gpuFabricInfo");
    if (info == nullptr) {
      if (failed(gpu.ask(question), "NOT_SUPPORTED")) gpu.set("fabric.state", "N/A", {question});
      continue;
    }
    const auto state = word_of("fabric.state", gpu.number(question, "gpuFabricInfo.state"));
    if (!state.empty()) gpu.set("fabric.state", in_quotes(state), {question});
    gpu.set("fabric.clique_id", std::to_string(gpu.number(question, "gpuFabricInfo.cliqueId")), {question});
    const auto cluster = gpu.text(question, "gpuFabricInfo.clusterUuid");
    if (cluster.find_first_not_of('0') != std::string::npos)
      gpu.set("fabric.cluster_uuid", in_quotes(uuid(cluster)), {question});
    if (const auto* mask = gpu.ask(question, "gpuFabricInfo.healthMask"))
      gpu.set("fabric.health_mask", fmt::format("0x{:x}", mask->get<std::uint64_t>()), {question});
    if (const auto* summary = gpu.ask(question, "gpuFabricInfo.healthSummary"))
      if (const auto word = word_of("fabric.health_summary", summary->get<std::uint64_t>()); !word.empty())
        gpu.set("fabric.health_summary", in_quotes(word), {question});
    return;
  }
}

void record_platform(Record& gpu) {
  const std::string question = "nvmlDeviceGetPlatformInfo";
  if (gpu.ask(question, "platformInfo") == nullptr) {
    if (failed(gpu.ask(question), "NOT_SUPPORTED"))
      for (const char* field : {"chassis_serial_number", "slot_number", "tray_index", "host_id", "peer_type",
                                "module_id", "gpu_fabric_guid"})
        gpu.set(fmt::format("platform.{}", field), "N/A", {question});
    return;
  }
  auto serial = bytes(gpu.text(question, "platformInfo.chassisSerialNumber"));
  serial.resize(serial.find_last_not_of('\0') + 1);
  gpu.set("platform.chassis_serial_number", serial.empty() ? "N/A" : in_quotes(serial), {question});
  const auto guid = bytes(gpu.text(question, "platformInfo.ibGuid"));
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8 && i < guid.size(); ++i)
    number |= std::uint64_t{static_cast<unsigned char>(guid[i])} << (8 * i);
  gpu.set("platform.gpu_fabric_guid", fmt::format("0x{:x}", number), {question});
  const std::pair<const char*, const char*> numbers[] = {
      {"slot_number", "slotNumber"}, {"tray_index", "trayIndex"}, {"host_id", "hostId"}, {"module_id", "moduleId"}};
  for (const auto& [field, member] : numbers)
    gpu.set(fmt::format("platform.{}", field),
            std::to_string(gpu.number(question, fmt::format("platformInfo.{}", member))), {question});
  gpu.set("platform.peer_type",
          in_quotes(gpu.number(question, "platformInfo.peerType") != 0 ? "Switch Connected" : "Direct Connected"),
          {question});
}

void record_addresses(Record& gpu) {
  const std::string question = "nvmlDeviceGetNvlinkRemapTableInfo_v1";
  const auto* info = gpu.ask(question, "remapTableInfo");
  if (info == nullptr) return;
  gpu.set("nvlink_encryption.alid", std::to_string(gpu.number(question, "remapTableInfo.alid")), {question});
  FlowList table;
  const auto& fla = (*info)["flaRemapTabAddr"];
  const auto& gpa = (*info)["gpaRemapTabAddr"];
  const auto used = gpu.number(question, "remapTableInfo.remapTabSize");
  for (std::size_t i = 0; i < used && i < fla.size() && i < gpa.size(); ++i) {
    FlowMap entry;
    entry.add("fla", fla[i].get<std::uint64_t>());
    entry.add("gpa", gpa[i].get<std::uint64_t>());
    table.add(entry.yaml());
  }
  gpu.set("nvlink_encryption.remap_table", table, {question});
}

}  // namespace

void record_fabric(Record& gpu) {
  record_registration(gpu);
  record_addresses(gpu);
  record_platform(gpu);
}

}  // namespace nvmlkit::capture
