// vGPU calls with results of their own shape: blocks with a variable tail, pairs, a typed union.
#include <cstring>
#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/device.hpp>
#include <nvmlkit/library.hpp>
#include <nvmlkit/vgpu.hpp>

#include "field_number.hpp"

namespace nvmlkit::nvml {

using detail::call;
using detail::Outcome;

namespace {

// The fixed part of a block, wherever its bytes lie.
template <class Block>
Block head_of(std::span<const std::byte> bytes) {
  Block block{};
  std::memcpy(&block, bytes.data(), std::min(bytes.size(), sizeof block));
  return block;
}

template <class Block>
bool whole(std::span<const std::byte> bytes) {
  constexpr std::size_t kFixed = offsetof(Block, opaqueData);
  return bytes.size() >= kFixed && head_of<Block>(bytes).opaqueDataSize <= bytes.size() - kFixed;
}

template <class Block>
std::span<const std::byte> opaque_of(std::span<const std::byte> bytes) {
  return bytes.subspan(offsetof(Block, opaqueData), head_of<Block>(bytes).opaqueDataSize);
}

// Copies for the driver, which declares its input without const; never shorter than the struct.
template <class Block>
std::vector<std::byte> for_driver(std::span<const std::byte> bytes) {
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  copy.resize(std::max(copy.size(), sizeof(Block)));
  return copy;
}

Failure too_short() { return Failure(Errc::malformed_answer, nullptr, "the metadata is cut off"); }

template <std::size_t Size>
std::string text(const char (&buffer)[Size]) {
  return detail::text_of(buffer, Size);
}

VgpuVersionRange range_of(const abi::nvmlVgpuVersion_t& version) { return {version.minVersion, version.maxVersion}; }

}  // namespace

Result<VgpuMetadata> VgpuMetadata::from_bytes(std::span<const std::byte> bytes) {
  if (!whole<abi::nvmlVgpuMetadata_t>(bytes)) return too_short();
  VgpuMetadata metadata;
  metadata.bytes_.assign(bytes.begin(), bytes.end());
  return metadata;
}
unsigned int VgpuMetadata::revision() const { return head_of<abi::nvmlVgpuMetadata_t>(bytes_).revision; }
VgpuGuestState VgpuMetadata::guest_state() const {
  return VgpuGuestState(head_of<abi::nvmlVgpuMetadata_t>(bytes_).guestInfoState);
}
std::string VgpuMetadata::guest_driver_version() const {
  return text(head_of<abi::nvmlVgpuMetadata_t>(bytes_).guestDriverVersion);
}
std::string VgpuMetadata::host_driver_version() const {
  return text(head_of<abi::nvmlVgpuMetadata_t>(bytes_).hostDriverVersion);
}
unsigned int VgpuMetadata::virtualization_caps() const {
  return head_of<abi::nvmlVgpuMetadata_t>(bytes_).vgpuVirtualizationCaps;
}
unsigned int VgpuMetadata::guest_vgpu_version() const {
  return head_of<abi::nvmlVgpuMetadata_t>(bytes_).guestVgpuVersion;
}
std::span<const std::byte> VgpuMetadata::opaque_data() const { return opaque_of<abi::nvmlVgpuMetadata_t>(bytes_); }

Result<PgpuMetadata> PgpuMetadata::from_bytes(std::span<const std::byte> bytes) {
  if (!whole<abi::nvmlVgpuPgpuMetadata_t>(bytes)) return too_short();
  PgpuMetadata metadata;
  metadata.bytes_.assign(bytes.begin(), bytes.end());
  return metadata;
}
unsigned int PgpuMetadata::revision() const { return head_of<abi::nvmlVgpuPgpuMetadata_t>(bytes_).revision; }
std::string PgpuMetadata::host_driver_version() const {
  return text(head_of<abi::nvmlVgpuPgpuMetadata_t>(bytes_).hostDriverVersion);
}
unsigned int PgpuMetadata::virtualization_caps() const {
  return head_of<abi::nvmlVgpuPgpuMetadata_t>(bytes_).pgpuVirtualizationCaps;
}
unsigned int PgpuMetadata::lowest_vgpu_version() const {
  return head_of<abi::nvmlVgpuPgpuMetadata_t>(bytes_).hostSupportedVgpuRange.minVersion;
}
unsigned int PgpuMetadata::highest_vgpu_version() const {
  return head_of<abi::nvmlVgpuPgpuMetadata_t>(bytes_).hostSupportedVgpuRange.maxVersion;
}
std::span<const std::byte> PgpuMetadata::opaque_data() const { return opaque_of<abi::nvmlVgpuPgpuMetadata_t>(bytes_); }

Result<VgpuMetadata> VgpuInstance::metadata() const {
  const auto bytes = detail::read_list<std::byte>([&](unsigned int* size, std::byte* block) {
    return call(*session_, &Table::VgpuInstanceGetMetadata, handle_, reinterpret_cast<abi::nvmlVgpuMetadata_t*>(block),
                size);
  });
  if (!bytes) return bytes.error();
  return VgpuMetadata::from_bytes(*bytes);
}

Result<VgpuInstance::VmId> VgpuInstance::vm_id() const {
  VmId id{{}, VmIdType::domain_id};
  abi::nvmlVgpuVmIdType_t type{};
  auto read = detail::read_string(abi::DEVICE_UUID_BUFFER_SIZE, [&](char* array, unsigned int length) {
    return call(*session_, &Table::VgpuInstanceGetVmID, handle_, array, length, &type);
  });
  if (!read) return read.error();
  id.id = *std::move(read);
  id.type = VmIdType(type);
  return id;
}

Result<PgpuMetadata> Device::vgpu_metadata() const {
  const auto bytes = detail::read_list<std::byte>([&](unsigned int* size, std::byte* block) {
    return call(*session_, &Table::DeviceGetVgpuMetadata, handle_,
                reinterpret_cast<abi::nvmlVgpuPgpuMetadata_t*>(block), size);
  });
  if (!bytes) return bytes.error();
  return PgpuMetadata::from_bytes(*bytes);
}

Result<std::vector<VgpuUtilization>> Device::vgpu_utilization(std::chrono::microseconds since) const {
  abi::nvmlValueType_t type{};
  constexpr const char* kFunction = "nvmlDeviceGetVgpuUtilization";
  const auto samples =
      detail::read_list<abi::nvmlVgpuInstanceUtilizationSample_t>([&](unsigned int* count, auto* array) {
        return call(*session_, &Table::DeviceGetVgpuUtilization, handle_,
                    static_cast<unsigned long long>(since.count()), &type, count, array);
      });
  std::vector<VgpuUtilization> entries;
  // NOT_FOUND says that the buffer holds nothing newer.
  if (!samples && samples.error().code() == Errc::not_found) return entries;
  if (!samples) return samples.error();
  for (const auto& sample : *samples) {
    VgpuUtilization entry{
        VgpuInstance(session_, sample.vgpuInstance), std::chrono::microseconds(sample.timeStamp), {}, {}, {}, {}};
    const std::pair<FieldNumber*, const abi::nvmlValue_t*> values[] = {{&entry.sm, &sample.smUtil},
                                                                       {&entry.memory, &sample.memUtil},
                                                                       {&entry.encoder, &sample.encUtil},
                                                                       {&entry.decoder, &sample.decUtil}};
    for (const auto& [to, from] : values) {
      const auto value = detail::decode(type, *from, kFunction);
      if (!value) return value.error();
      *to = *value;
    }
    entries.push_back(entry);
  }
  return entries;
}

Result<VgpuCompatibility> Library::vgpu_compatibility(const VgpuMetadata& vgpu, const PgpuMetadata& pgpu) const {
  auto vgpu_bytes = for_driver<abi::nvmlVgpuMetadata_t>(vgpu.bytes());
  auto pgpu_bytes = for_driver<abi::nvmlVgpuPgpuMetadata_t>(pgpu.bytes());
  abi::nvmlVgpuPgpuCompatibility_t answer{};
  const Outcome outcome = detail::call(*session_, &Table::GetVgpuCompatibility,
                                       reinterpret_cast<abi::nvmlVgpuMetadata_t*>(vgpu_bytes.data()),
                                       reinterpret_cast<abi::nvmlVgpuPgpuMetadata_t*>(pgpu_bytes.data()), &answer);
  if (!outcome.ok()) return outcome.failure();
  return VgpuCompatibility{VgpuVmCompatibilities(answer.vgpuVmCompatibility),
                           VgpuCompatibilityLimits(answer.compatibilityLimitCode)};
}

Result<VgpuVersions> Library::vgpu_versions() const {
  abi::nvmlVgpuVersion_t supported{}, current{};
  const Outcome outcome = detail::call(*session_, &Table::GetVgpuVersion, &supported, &current);
  if (!outcome.ok()) return outcome.failure();
  return VgpuVersions{range_of(supported), range_of(current)};
}

}  // namespace nvmlkit::nvml
