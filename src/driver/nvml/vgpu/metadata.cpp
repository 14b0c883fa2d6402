// Data that hosts exchange before a VM moves, and the versions of the protocol between host and guest.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/vgpu/vgpu.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::vgpu::Active;

// The opaque part of both kinds of metadata: our own, readable by this library alone.
struct Opaque {
  char magic[4];
  std::uint32_t type;       // of a vGPU; 0 of a GPU
  std::uint32_t device_id;  // PCI
  std::uint32_t memory_gb;  // of a vGPU
};
constexpr char kMagic[4] = {'n', 'k', 'v', 'm'};
constexpr unsigned int kStructVersion = 2, kStructRevision = 0;

template <class Metadata>
constexpr unsigned int kNeeded = static_cast<unsigned int>(offsetof(Metadata, opaqueData) + sizeof(Opaque));

template <std::size_t N, class Text>
void copy(char (&out)[N], const Text& text) {
  const auto view = text ? text->view() : std::string_view();
  std::memset(out, 0, N);
  std::memcpy(out, view.data(), std::min(view.size(), N - 1));
}

// Where there is no room, the caller learns how much is needed.
template <class Metadata>
nvmlReturn_t give(const Metadata& metadata, const Opaque& opaque, Metadata* out, unsigned int* size) {
  const auto room = *size;
  *size = kNeeded<Metadata>;
  if (room < kNeeded<Metadata>) return NVML_ERROR_INSUFFICIENT_SIZE;
  auto* bytes = reinterpret_cast<unsigned char*>(out);
  std::memcpy(bytes, &metadata, offsetof(Metadata, opaqueData));
  std::memcpy(bytes + offsetof(Metadata, opaqueData), &opaque, sizeof opaque);
  return NVML_SUCCESS;
}

template <class Metadata>
bool parse(const Metadata& metadata, Opaque& out) {
  if (metadata.version != kStructVersion || metadata.opaqueDataSize != sizeof(Opaque)) return false;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&metadata);
  std::memcpy(&out, bytes + offsetof(Metadata, opaqueData), sizeof out);
  return std::memcmp(out.magic, kMagic, sizeof kMagic) == 0;
}

Opaque opaque(std::uint32_t type, std::uint32_t device_id, std::uint32_t memory_gb) {
  Opaque out{{}, type, device_id, memory_gb};
  std::memcpy(out.magic, kMagic, sizeof kMagic);
  return out;
}

nvmlVgpuPgpuMetadata_t metadata_of(const Machine& machine) {
  const auto& system = machine.system();
  nvmlVgpuPgpuMetadata_t out{};
  out.version = kStructVersion;
  out.revision = kStructRevision;
  copy(out.hostDriverVersion, system.driver_version);
  out.pgpuVirtualizationCaps = VGPU_PGPU_VIRTUALIZATION_CAP_MIGRATION_YES;
  out.hostSupportedVgpuRange = {system.vgpu_versions.current_min.value_or(0),
                                system.vgpu_versions.current_max.value_or(0)};
  out.opaqueDataSize = sizeof(Opaque);
  return out;
}

unsigned int branch_of(const char* version, std::size_t size) {
  unsigned int branch = 0;
  std::from_chars(version, version + size, branch);
  return branch;
}

}  // namespace

nvmlReturn_t VgpuInstanceGetMetadata(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                     nvmlVgpuMetadata_t* vgpuMetadata, unsigned int* bufferSize) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    if (!vgpuMetadata && *bufferSize != 0) return NVML_ERROR_INVALID_ARGUMENT;
    const bool runs = sim::vgpu::has_driver(*active.instance);
    nvmlVgpuMetadata_t out{};
    out.version = kStructVersion;
    out.revision = kStructRevision;
    out.guestInfoState =
        runs ? NVML_VGPU_INSTANCE_GUEST_INFO_STATE_INITIALIZED : NVML_VGPU_INSTANCE_GUEST_INFO_STATE_UNINITIALIZED;
    if (runs) copy(out.guestDriverVersion, active.instance->guest_driver);
    copy(out.hostDriverVersion, machine.system().driver_version);
    out.vgpuVirtualizationCaps = VGPU_VIRTUALIZATION_CAP_MIGRATION_YES;
    out.guestVgpuVersion = runs ? machine.system().vgpu_versions.current_max.value_or(0) : 0;
    out.opaqueDataSize = sizeof(Opaque);
    return give(out, opaque(active.type->id, active.type->device_id, active.type->memory_gb), vgpuMetadata, bufferSize);
  });
}

nvmlReturn_t DeviceGetVgpuMetadata(const Machine& machine, const Gpu& gpu, nvmlVgpuPgpuMetadata_t* pgpuMetadata,
                                   unsigned int* bufferSize) {
  if (!sim::vgpu::is_host(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (!pgpuMetadata && *bufferSize != 0) return NVML_ERROR_INVALID_ARGUMENT;
  return give(metadata_of(machine), opaque(0, gpu.pci.device_id.value_or(0) >> 16, 0), pgpuMetadata, bufferSize);
}

// The same as text: versions, device and range of the protocol.
nvmlReturn_t DeviceGetPgpuMetadataString(const Machine& machine, const Gpu& gpu, char* pgpuMetadata,
                                         unsigned int* bufferSize) {
  if (!sim::vgpu::is_host(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const auto metadata = metadata_of(machine);
  char text[160];
  std::snprintf(text, sizeof text, "nkvm:%u.%u:%s:%04x:%x-%x", metadata.version, metadata.revision,
                metadata.hostDriverVersion, gpu.pci.device_id.value_or(0) >> 16,
                metadata.hostSupportedVgpuRange.minVersion, metadata.hostSupportedVgpuRange.maxVersion);
  return give_text(text, pgpuMetadata, bufferSize);
}

// A VM moves to a GPU of the same kind whose host is not older and speaks its guest's version. Metadata that this
// library has not made are refused.
nvmlReturn_t GetVgpuCompatibility(const Machine& machine, nvmlVgpuMetadata_t* vgpuMetadata,
                                  nvmlVgpuPgpuMetadata_t* pgpuMetadata,
                                  nvmlVgpuPgpuCompatibility_t* compatibilityInfo) {
  if (!hosts_vgpus(machine)) return NVML_ERROR_NOT_SUPPORTED;
  Opaque vgpu, pgpu;
  if (!parse(*vgpuMetadata, vgpu) || !parse(*pgpuMetadata, pgpu)) return NVML_ERROR_INVALID_ARGUMENT;
  const auto& range = pgpuMetadata->hostSupportedVgpuRange;
  const bool known_guest = vgpuMetadata->guestInfoState == NVML_VGPU_INSTANCE_GUEST_INFO_STATE_INITIALIZED;
  const auto guest = vgpuMetadata->guestVgpuVersion;
  const auto branch = [](const auto& version) { return branch_of(version, sizeof version); };
  auto& out = *compatibilityInfo;
  if (vgpu.device_id != pgpu.device_id) {
    out = {NVML_VGPU_VM_COMPATIBILITY_NONE, NVML_VGPU_COMPATIBILITY_LIMIT_GPU};
  } else if (known_guest && (guest < range.minVersion || guest > range.maxVersion)) {
    out = {NVML_VGPU_VM_COMPATIBILITY_NONE, NVML_VGPU_COMPATIBILITY_LIMIT_GUEST_DRIVER};
  } else if (branch(pgpuMetadata->hostDriverVersion) < branch(vgpuMetadata->hostDriverVersion)) {
    out = {NVML_VGPU_VM_COMPATIBILITY_COLD, NVML_VGPU_COMPATIBILITY_LIMIT_HOST_DRIVER};
  } else if (!known_guest) {
    out = {NVML_VGPU_VM_COMPATIBILITY_COLD, NVML_VGPU_COMPATIBILITY_LIMIT_GUEST_DRIVER};
  } else {
    constexpr auto kAll = NVML_VGPU_VM_COMPATIBILITY_COLD | NVML_VGPU_VM_COMPATIBILITY_HIBERNATE |
                          NVML_VGPU_VM_COMPATIBILITY_SLEEP | NVML_VGPU_VM_COMPATIBILITY_LIVE;
    out = {static_cast<nvmlVgpuVmCompatibility_t>(kAll), NVML_VGPU_COMPATIBILITY_LIMIT_NONE};
  }
  return NVML_SUCCESS;
}

nvmlReturn_t GetVgpuVersion(const Machine& machine, nvmlVgpuVersion_t* supported, nvmlVgpuVersion_t* current) {
  const auto& versions = machine.system().vgpu_versions;
  if (!hosts_vgpus(machine) && !versions.supported_max) return NVML_ERROR_NOT_SUPPORTED;
  *supported = {versions.supported_min.value_or(0), versions.supported_max.value_or(0)};
  *current = {versions.current_min.value_or(0), versions.current_max.value_or(0)};
  return NVML_SUCCESS;
}

nvmlReturn_t SetVgpuVersion(const Machine& machine, nvmlVgpuVersion_t* vgpuVersion) {
  if (!hosts_vgpus(machine)) return NVML_ERROR_NOT_SUPPORTED;
  const sim::state::Lock lock(machine);
  if (lock.refusal() == sim::state::Refusal::read_only) return NVML_ERROR_NO_PERMISSION;
  if (!lock) return NVML_ERROR_TIMEOUT;
  auto changed = machine.system().vgpu_versions;
  const auto low = changed.supported_min.value_or(0), high = changed.supported_max.value_or(0);
  const auto wanted = *vgpuVersion;
  if (wanted.minVersion < low || wanted.maxVersion > high || wanted.minVersion > wanted.maxVersion)
    return NVML_ERROR_INVALID_ARGUMENT;
  if (sim::vgpu::any(machine)) return NVML_ERROR_IN_USE;
  changed.current_min = wanted.minVersion;
  changed.current_max = wanted.maxVersion;
  return lock.replace(machine.system().vgpu_versions, changed) ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

}  // namespace nvmlkit::driver::functions
