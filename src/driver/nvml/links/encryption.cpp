// NVLink encryption (NVLE): the remap table of a GPU, keys for its traffic with other GPUs, and whether it may begin.
// The order of the steps is that of NVIDIA's daemon for confidential computing on several nodes.
#include <algorithm>
#include <cstring>

#include "driver/nvml/call/read.hpp"
#include "driver/nvml/conf_compute/attestation.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/links/links.hpp"

namespace nvmlkit::driver::functions {
namespace {

using PrivateInfo = nvmlNvlinkNvlePrivateInfo_v1_t;

// As isNvleEnabled of nvmlDeviceGetNvLinkInfo says.
bool encrypts(const Machine& machine, const Gpu& gpu) {
  return sim::links::count(gpu) > 0 && gpu.links.version >= 5 && machine.host().nvlink.encryption.value_or(false);
}

// No document has the length.
PrivateInfo private_info_of(const Gpu& gpu) {
  constexpr unsigned int kBytes = 64;
  PrivateInfo out{};
  attestation::write_bytes(gpu, "nvle", std::span(out.data, kBytes));
  out.size = kBytes;
  return out;
}

bool same(const PrivateInfo& given, const PrivateInfo& known) {
  return given.size == known.size && std::memcmp(given.data, known.data, known.size) == 0;
}

// A GPU of another machine has an address that no GPU of this one has: its private info is not known here.
bool fits(const Machine& machine, unsigned int alid, const PrivateInfo& info) {
  if (info.size > std::size(info.data)) return false;
  const auto gpus = machine.gpus();
  const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) {
    const auto& known = gpu.nvlink_encryption.alid;
    return known && *known == alid;
  });
  return found == gpus.end() || same(info, private_info_of(*found));
}

}  // namespace

nvmlReturn_t DeviceGetNvlinkRemapTableInfo_v1(const Machine& machine, const Gpu& gpu,
                                              nvmlNvlinkGetRemapTableInfo_v1_t* remapTableInfo) {
  const auto& encryption = gpu.nvlink_encryption;
  if (!encrypts(machine, gpu) || !encryption.alid) return NVML_ERROR_NOT_SUPPORTED;
  auto& out = *remapTableInfo;
  out = {};
  out.alid = *encryption.alid;
  const auto add = [&](std::uint32_t fla, std::uint32_t gpa) {
    if (out.remapTabSize == std::size(out.flaRemapTabAddr)) return;
    out.flaRemapTabAddr[out.remapTabSize] = fla;
    out.gpaRemapTabAddr[out.remapTabSize++] = gpa;
  };
  for (const auto& entry : encryption.remap_table.span()) add(entry.fla.value_or(0), entry.gpa.value_or(0));
  if (encryption.remap_table.empty())
    for (const auto& each : machine.gpus())
      if (const auto& alid = each.nvlink_encryption.alid) add(*alid, *alid);
  return NVML_SUCCESS;
}

// A request that cannot be met is no error: the caller looks at the result.
nvmlReturn_t DeviceLockNvlinkRemapTable_v1(const Machine& machine, Gpu& gpu,
                                           nvmlNvlinkLockRemapTable_v1_t* lockRemapTable) {
  if (!encrypts(machine, gpu)) return NVML_ERROR_NOT_SUPPORTED;
  auto& encryption = gpu.nvlink_encryption;
  const bool disabled = encryption.lock_disabled.value_or(false);
  if (!disabled) encryption.table_locked = true;
  lockRemapTable->bRemapTableLocked = encryption.table_locked.value_or(false) ? 1 : 0;
  lockRemapTable->bRemapTableLockDisabled = disabled ? 1 : 0;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetNvlinkNvlePrivateInfo_v1(const Machine& machine, const Gpu& gpu, PrivateInfo* privateInfo) {
  if (!encrypts(machine, gpu)) return NVML_ERROR_NOT_SUPPORTED;
  *privateInfo = private_info_of(gpu);
  return NVML_SUCCESS;
}

// A second key for the same GPU replaces the first.
nvmlReturn_t DeviceSetupNvlinkNvleEncryptionKey_v1(const Machine& machine, Gpu& gpu,
                                                   nvmlNvlinkSetupNvleEncryptionKey_v1_t* encryptionKey) {
  auto& encryption = gpu.nvlink_encryption;
  if (!encrypts(machine, gpu) || !encryption.alid) return NVML_ERROR_NOT_SUPPORTED;
  const auto& key = *encryptionKey;
  if (key.localGpuAlid != *encryption.alid || key.remoteGpuAlid == *encryption.alid ||
      !same(key.localGpuNvlePrivateInfo, private_info_of(gpu)) ||
      !fits(machine, key.remoteGpuAlid, key.remoteGpuNvlePrivateInfo))
    return NVML_ERROR_INVALID_ARGUMENT;
  const auto peers = encryption.key_peers.span();
  if (std::find(peers.begin(), peers.end(), key.remoteGpuAlid) != peers.end()) return NVML_SUCCESS;
  return encryption.key_peers.push_back(key.remoteGpuAlid) ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_RESOURCES;
}

nvmlReturn_t DeviceSetNvlinkNvleReady_v1(const Machine& machine, Gpu& gpu, nvmlNvlinkSetNvleReady_v1_t* nvleReady) {
  if (!encrypts(machine, gpu)) return NVML_ERROR_NOT_SUPPORTED;
  gpu.nvlink_encryption.ready = nvleReady->bNvleReady != 0;
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
