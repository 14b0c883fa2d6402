// NVLink: state, ends and counters of one link.
#include "driver/nvml/links/nvlink.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/generated/known_values.hpp"
#include "sim/links/links.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::driver {

using namespace abi;

nvmlReturn_t check_link(const sim::model::Gpu& gpu, unsigned int link) {
  if (sim::links::count(gpu) == 0) return NVML_ERROR_NOT_SUPPORTED;
  return link < sim::links::count(gpu) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

unsigned int nvlink_version(const sim::model::Gpu& gpu) {
  static constexpr unsigned int kVersions[] = {
      NVML_NVLINK_VERSION_INVALID, NVML_NVLINK_VERSION_1_0, NVML_NVLINK_VERSION_2_0, NVML_NVLINK_VERSION_3_0,
      NVML_NVLINK_VERSION_4_0,     NVML_NVLINK_VERSION_5_0, NVML_NVLINK_VERSION_6_0};
  return gpu.links.version < std::size(kVersions) ? kVersions[gpu.links.version] : kVersions[0];
}

namespace functions {
namespace {

using sim::links::Remote;
using sim::model::Architecture;

// A link that is down does not know what is at its end.
const sim::links::Link* end_of(const Gpu& gpu, unsigned int link) {
  const auto& end = gpu.links.links[link];
  return sim::links::is_active(gpu, link) && end.remote != Remote::nothing ? &end : nullptr;
}

// Whoever looks for the ends of links asks about as many as any GPU has, and takes no other error than this one for a
// GPU that has fewer: nvidia-smi topo -m.
nvmlReturn_t check_end(const Gpu& gpu, unsigned int link) {
  constexpr unsigned int kUsualLinks = 18;
  const auto result = check_link(gpu, link);
  return result == NVML_ERROR_INVALID_ARGUMENT && link < kUsualLinks ? NVML_ERROR_NOT_SUPPORTED : result;
}

struct Address {
  unsigned int domain, bus, device;
};

// What the host cannot see, as the NVSwitches of a rack, has an address of ones.
Address address_of(const sim::links::Link& end) {
  if (end.has_bus_id == 0) return {0xFFFFFFFF, 0xFF, 0xFF};
  return {end.remote_bus_id.domain, end.remote_bus_id.bus, end.remote_bus_id.device};
}

template <std::size_t N>
void write_bus_id(const Address& at, const char* format, char (&out)[N]) {
  char text[48];
  std::snprintf(text, sizeof text, format, at.domain, at.bus, at.device);
  std::memset(out, 0, N);
  std::memcpy(out, text, std::min(std::strlen(text), N - 1));
}

// The NVSwitches of the A100 and of the H100 have PCI ids that lspci shows.
unsigned int device_id(const Machine& machine, const Gpu& gpu, const sim::links::Link& end) {
  const auto gpus = machine.gpus();
  if (end.remote == Remote::gpu && end.remote_gpu < gpus.size()) return gpus[end.remote_gpu].pci.device_id.value_or(0);
  if (end.remote != Remote::nvswitch || end.has_bus_id == 0) return 0;
  return gpu.links.version == 3 ? 0x1AF110DE : gpu.links.version == 4 ? 0x22A310DE : 0;
}

// "36:2014:1862" or "36.2014.1862".
bool read_version(std::string_view text, nvmlNvlinkFirmwareVersion_t& out) {
  unsigned int* const parts[] = {&out.major, &out.minor, &out.subMinor};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (auto* part : parts) {
    const auto [next, problem] = std::from_chars(at, end, *part);
    if (problem != std::errc()) return false;
    at = next < end ? next + 1 : end;
  }
  return true;
}

}  // namespace

nvmlReturn_t DeviceGetNvLinkState(const Machine&, const Gpu& gpu, unsigned int link, nvmlEnableState_t* isActive) {
  if (const auto result = check_link(gpu, link); result != NVML_SUCCESS) return result;
  *isActive = sim::links::is_active(gpu, link) ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetNvLinkVersion(const Machine&, const Gpu& gpu, unsigned int link, unsigned int* version) {
  if (const auto result = check_link(gpu, link); result != NVML_SUCCESS) return result;
  *version = nvlink_version(gpu);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetNvLinkCapability(const Machine&, const Gpu& gpu, unsigned int link,
                                       nvmlNvLinkCapability_t capability, unsigned int* capResult) {
  // The number of the link is checked before the GPU is, the capability after.
  if (link >= NVLINK_MAX_LINKS) return NVML_ERROR_INVALID_ARGUMENT;
  const auto result = check_link(gpu, link);
  if (!is_known(capability) && result != NVML_ERROR_NOT_SUPPORTED) return NVML_ERROR_INVALID_ARGUMENT;
  if (result == NVML_ERROR_INVALID_ARGUMENT) {
    *capResult = 0;  // a link that only other GPUs have can do nothing
    return NVML_SUCCESS;
  }
  if (result != NVML_SUCCESS) return result;
  switch (capability) {
    case NVML_NVLINK_CAP_P2P_SUPPORTED:
    case NVML_NVLINK_CAP_SYSMEM_ACCESS:
    case NVML_NVLINK_CAP_P2P_ATOMICS:
    case NVML_NVLINK_CAP_SYSMEM_ATOMICS:
      *capResult = 1;
      return NVML_SUCCESS;
    case NVML_NVLINK_CAP_SLI_BRIDGE:
      *capResult = sim::is_from(gpu, Architecture::ampere) ? 1 : 0;
      return NVML_SUCCESS;
    case NVML_NVLINK_CAP_VALID:
      *capResult = sim::is_from(gpu, Architecture::hopper) ? 1 : 0;
      return NVML_SUCCESS;
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

nvmlReturn_t DeviceGetNvLinkRemotePciInfo_v2(const Machine& machine, const Gpu& gpu, unsigned int link,
                                             nvmlPciInfo_t* pci) {
  if (const auto result = check_end(gpu, link); result != NVML_SUCCESS) return result;
  const auto* end = end_of(gpu, link);
  if (!end) return NVML_ERROR_NOT_SUPPORTED;
  const auto at = address_of(*end);
  write_bus_id(at, "%04X:%02X:%02X.0", pci->busIdLegacy);
  write_bus_id(at, "%08X:%02X:%02X.0", pci->busId);
  pci->domain = at.domain;
  pci->bus = at.bus;
  pci->device = at.device;
  pci->pciDeviceId = device_id(machine, gpu, *end);
  pci->pciSubSystemId = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetNvLinkRemotePciInfo(const Machine& machine, const Gpu& gpu, unsigned int link,
                                          nvmlPciInfo_t* pci) {
  if (const auto result = check_end(gpu, link); result != NVML_SUCCESS) return result;
  const auto* end = end_of(gpu, link);
  if (!end) return NVML_ERROR_NOT_SUPPORTED;
  auto& old = *reinterpret_cast<nvmlPciInfo_v2_t*>(pci);
  const auto at = address_of(*end);
  write_bus_id(at, "%04X:%02X:%02X.0", old.busId);
  old.domain = at.domain;
  old.bus = at.bus;
  old.device = at.device;
  old.pciDeviceId = device_id(machine, gpu, *end);
  old.pciSubSystemId = 0;
  old.reserved0 = old.reserved1 = old.reserved2 = old.reserved3 = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetNvLinkRemoteDeviceType(const Machine&, const Gpu& gpu, unsigned int link,
                                             nvmlIntNvLinkDeviceType_t* pNvLinkDeviceType) {
  if (const auto result = check_link(gpu, link); result != NVML_SUCCESS) return result;
  const auto* end = end_of(gpu, link);
  const auto remote = end ? end->remote : Remote::unknown;
  *pNvLinkDeviceType = remote == Remote::gpu        ? NVML_NVLINK_DEVICE_TYPE_GPU
                       : remote == Remote::npu      ? NVML_NVLINK_DEVICE_TYPE_IBMNPU
                       : remote == Remote::nvswitch ? NVML_NVLINK_DEVICE_TYPE_SWITCH
                                                    : NVML_NVLINK_DEVICE_TYPE_UNKNOWN;
  return NVML_SUCCESS;
}

// NVLink 5 counts other things, which are field values.
nvmlReturn_t DeviceGetNvLinkErrorCounter(const Machine& machine, const Gpu& gpu, unsigned int link,
                                         nvmlNvLinkErrorCounter_t counter, unsigned long long* counterValue) {
  if (const auto result = check_link(gpu, link); result != NVML_SUCCESS) return result;
  if (gpu.links.version >= 5) return NVML_ERROR_NOT_SUPPORTED;
  using sim::links::Error;
  Error kind{};
  switch (counter) {
    case NVML_NVLINK_ERROR_DL_REPLAY:
      kind = Error::replay;
      break;
    case NVML_NVLINK_ERROR_DL_RECOVERY:
      kind = Error::recovery;
      break;
    case NVML_NVLINK_ERROR_DL_CRC_FLIT:
      kind = Error::crc_flit;
      break;
    case NVML_NVLINK_ERROR_DL_CRC_DATA:
      kind = Error::crc_data;
      break;
    case NVML_NVLINK_ERROR_DL_ECC_DATA:
      if (!sim::is_from(gpu, Architecture::ampere)) return NVML_ERROR_NOT_SUPPORTED;
      kind = Error::ecc_data;
      break;
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
  *counterValue = sim::links::counts(gpu, sim::telemetry::Reading(machine, gpu), link).errors[kind];
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceResetNvLinkErrorCounters(const Machine& machine, Gpu& gpu, unsigned int link) {
  if (const auto result = check_link(gpu, link); result != NVML_SUCCESS) return result;
  sim::links::clear_errors(machine, gpu, link);
  return NVML_SUCCESS;
}

// The counters of GPUs from Ampere on are field values.
nvmlReturn_t DeviceGetNvLinkUtilizationCounter(const Machine& machine, const Gpu& gpu, unsigned int link,
                                               unsigned int counter, unsigned long long* rxcounter,
                                               unsigned long long* txcounter) {
  constexpr unsigned int kCounters = 2;
  if (const auto result = check_link(gpu, link); result != NVML_SUCCESS) return result;
  if (counter >= kCounters) return NVML_ERROR_INVALID_ARGUMENT;
  if (sim::is_from(gpu, Architecture::ampere)) return NVML_ERROR_NOT_SUPPORTED;
  const auto counts = sim::links::counts(gpu, sim::telemetry::Reading(machine, gpu), link);
  *rxcounter = static_cast<unsigned long long>(counts.received);
  *txcounter = static_cast<unsigned long long>(counts.sent);
  return NVML_SUCCESS;
}

namespace {

// Only NVLink 5 and newer have it.
bool has_information(const Gpu& gpu) { return sim::links::count(gpu) > 0 && gpu.links.version >= 5; }

void write_firmware(const sim::model::NvLink& said, nvmlNvlinkFirmwareInfo_t& out) {
  const std::pair<int, const sim::model::Field<sim::model::Text<32>>*> firmware[] = {
      {NVLINK_FIRMWARE_UCODE_TYPE_MSE, &said.firmware.mse},
      {NVLINK_FIRMWARE_UCODE_TYPE_NETIR, &said.firmware.netir},
      {NVLINK_FIRMWARE_UCODE_TYPE_NETIR_UPHY, &said.firmware.netir_uphy},
      {NVLINK_FIRMWARE_UCODE_TYPE_NETIR_CLN, &said.firmware.netir_cln},
      {NVLINK_FIRMWARE_UCODE_TYPE_NETIR_DLN, &said.firmware.netir_dln}};
  out = {};
  for (const auto& [type, text] : firmware) {
    nvmlNvlinkFirmwareVersion_t version{};
    if (!*text || !read_version((*text)->view(), version)) continue;
    version.ucodeType = static_cast<unsigned char>(type);
    out.firmwareVersion[out.numValidEntries++] = version;
  }
}

}  // namespace

nvmlReturn_t DeviceGetNvLinkInfo(const Machine& machine, const Gpu& gpu, nvmlNvLinkInfo_t* info) {
  if (!has_information(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const auto& said = machine.host().nvlink;
  info->isNvleEnabled = said.encryption.value_or(false) ? 1 : 0;
  if (info->version == version_tag<nvmlNvLinkInfo_v2_t>) write_firmware(said, info->firmwareInfo);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetNvLinkInfo_v3(const Machine& machine, const Gpu& gpu, nvmlNvLinkInfo_v3_t* info) {
  if (!has_information(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const auto& said = machine.host().nvlink;
  info->isNvleEnabled = said.encryption.value_or(false) ? 1 : 0;
  info->isNvleReady = info->isNvleEnabled != 0 && gpu.nvlink_encryption.ready.value_or(false) ? 1 : 0;
  write_firmware(said, info->firmwareInfo);
  return NVML_SUCCESS;
}

}  // namespace functions
}  // namespace nvmlkit::driver
