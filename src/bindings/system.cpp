// Calls of the library that are irregular in C.
#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/device.hpp>
#include <nvmlkit/library.hpp>

namespace nvmlkit::nvml {

using detail::Outcome;

Result<std::string> Library::driver_branch() const {
  abi::nvmlSystemDriverBranchInfo_v1_t info{};
  info.version = abi::version_tag<abi::nvmlSystemDriverBranchInfo_v1_t>;
  const Outcome outcome =
      detail::call(*session_, &Table::SystemGetDriverBranch, &info, static_cast<unsigned int>(sizeof info.branch));
  if (!outcome.ok()) return outcome.failure();
  return detail::text_of(info.branch, sizeof info.branch);
}

Result<std::string> Library::driver_text(Errc code) const {
  const std::size_t symbol = symbol_index(&Table::ErrorString);
  if (!session_->usable()) return Outcome{session_->why_unusable(), symbol}.failure();
  if (!session_->table.ErrorString) return Outcome{Errc::function_not_found, symbol}.failure();
  const char* text = session_->table.ErrorString(static_cast<abi::nvmlReturn_t>(code));
  return std::string(text ? text : "");
}

std::string gpu_uuid(std::span<const std::byte, 16> bytes) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    for (const unsigned int digit :
         {std::to_integer<unsigned int>(bytes[i] >> 4), std::to_integer<unsigned int>(bytes[i] & std::byte{15})})
      text += "0123456789abcdef"[digit];
  }
  return text;
}

Result<Device> Library::device_by_binary_uuid(const std::array<std::byte, 16>& uuid) const {
  abi::nvmlUUID_v1_t key{};
  key.version = abi::version_tag<abi::nvmlUUID_v1_t>;
  key.type = abi::NVML_UUID_TYPE_BINARY;
  std::memcpy(key.value.bytes, uuid.data(), uuid.size());
  abi::nvmlDevice_t device{};
  const Outcome outcome = detail::call(*session_, &Table::DeviceGetHandleByUUIDV, &key, &device);
  if (!outcome.ok()) return outcome.failure();
  return Device(session_, device);
}

}  // namespace nvmlkit::nvml
