// Setters of NVLink encryption.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <nvmlkit/device.hpp>

#include "conversions.hpp"

namespace nvmlkit::nvml {

using detail::call;
using detail::Outcome;

namespace {

bool store_info(abi::nvmlNvlinkNvlePrivateInfo_v1_t& to, const NvlinkNvlePrivateInfo& from) {
  if (from.data.size() > std::size(to.data)) return false;
  std::copy(from.data.begin(), from.data.end(), to.data);
  to.size = static_cast<unsigned int>(from.data.size());
  return true;
}

}  // namespace

Result<void> Device::setup_nvlink_nvle_encryption_key(const NvlinkNvleKey& key) const {
  constexpr const char* kFunction = "nvmlDeviceSetupNvlinkNvleEncryptionKey_v1";
  abi::nvmlNvlinkSetupNvleEncryptionKey_v1_t native{};
  if (!store_info(native.localGpuNvlePrivateInfo, key.local_info))
    return Failure(Errc::invalid_argument, kFunction, "local_info has more than 256 bytes");
  if (!store_info(native.remoteGpuNvlePrivateInfo, key.remote_info))
    return Failure(Errc::invalid_argument, kFunction, "remote_info has more than 256 bytes");
  native.localGpuAlid = key.local_alid;
  native.remoteGpuAlid = key.remote_alid;
  std::copy(key.secret.begin(), key.secret.end(), native.nvleKey);
  const Outcome outcome = call(*session_, &Table::DeviceSetupNvlinkNvleEncryptionKey_v1, handle_, &native);
  explicit_bzero(native.nvleKey, sizeof native.nvleKey);
  if (!outcome.ok()) return outcome.failure();
  return {};
}

Result<void> Device::set_nvlink_nvle_ready(bool ready) const {
  abi::nvmlNvlinkSetNvleReady_v1_t native{};
  native.bNvleReady = ready ? 1 : 0;
  const Outcome outcome = call(*session_, &Table::DeviceSetNvlinkNvleReady_v1, handle_, &native);
  if (!outcome.ok()) return outcome.failure();
  return {};
}

}  // namespace nvmlkit::nvml
