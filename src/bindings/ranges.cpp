#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/ranges.hpp>

namespace nvmlkit::nvml {

using detail::call;
using detail::Outcome;

namespace {

// f(device, index, T*)
template <class T, class Function>
Result<T> indexed(const Session& state, Function Table::*member, HeldDevice device, unsigned int index) {
  T value{};
  const Outcome outcome = call(state, member, device, index, &value);
  if (!outcome.ok()) return outcome.failure();
  return value;
}

}  // namespace

Result<Percent> Fan::speed() const { return device().fan_speed(index_); }

Result<Percent> Fan::target_speed() const {
  return indexed<unsigned int>(*session_, &Table::DeviceGetTargetFanSpeed, handle_, index_)
      .transform([](unsigned int percent) { return Percent(percent); });
}

Result<bool> NvLink::active() const {
  return indexed<abi::nvmlEnableState_t>(*session_, &Table::DeviceGetNvLinkState, handle_, index_)
      .transform([](abi::nvmlEnableState_t state) { return state != abi::NVML_FEATURE_DISABLED; });
}

Result<NvLinkVersion> NvLink::version() const {
  return indexed<unsigned int>(*session_, &Table::DeviceGetNvLinkVersion, handle_, index_)
      .transform([](unsigned int version) { return NvLinkVersion(version); });
}

Result<std::string> NvLink::remote_pci_bus_id() const {
  return indexed<abi::nvmlPciInfo_t>(*session_, &Table::DeviceGetNvLinkRemotePciInfo_v2, handle_, index_)
      .transform([](const abi::nvmlPciInfo_t& pci) { return detail::text_of(pci.busId, sizeof pci.busId); });
}

Result<NvLinkDeviceType> NvLink::remote_device_type() const {
  return indexed<abi::nvmlIntNvLinkDeviceType_t>(*session_, &Table::DeviceGetNvLinkRemoteDeviceType, handle_, index_)
      .transform([](abi::nvmlIntNvLinkDeviceType_t type) { return NvLinkDeviceType(type); });
}

Result<unsigned long long> NvLink::errors(NvLinkErrorCounter counter) const {
  unsigned long long count = 0;
  const Outcome outcome =
      call(*session_, &Table::DeviceGetNvLinkErrorCounter, handle_, index_, to_abi(counter), &count);
  if (!outcome.ok()) return outcome.failure();
  return count;
}

Result<FanRange> Device::fans() const {
  unsigned int count = 0;
  const Outcome outcome = call(*session_, &Table::DeviceGetNumFans, handle_, &count);
  // A GPU without fans says that it does not support the question.
  if (!outcome.ok() && outcome.code != Errc::not_supported) return outcome.failure();
  return FanRange(session_, handle_, outcome.ok() ? count : 0);
}

Result<NvLinkRange> Device::nvlinks() const {
  abi::nvmlFieldValue_t field{};
  field.fieldId = abi::FI_DEV_NVLINK_LINK_COUNT;
  const Outcome outcome = call(*session_, &Table::DeviceGetFieldValues, handle_, 1, &field);
  if (outcome.ok() && field.nvmlReturn == abi::NVML_SUCCESS)
    return NvLinkRange(session_, handle_,
                       std::min(field.value.uiVal, static_cast<unsigned int>(abi::NVLINK_MAX_LINKS)));
  if (!outcome.ok() && outcome.code != Errc::function_not_found && outcome.code != Errc::not_supported)
    return outcome.failure();
  // Drivers that cannot count their links: the first index that is refused is the count.
  unsigned int count = 0;
  for (; count < static_cast<unsigned int>(abi::NVLINK_MAX_LINKS); ++count) {
    abi::nvmlEnableState_t active{};
    const Outcome link = call(*session_, &Table::DeviceGetNvLinkState, handle_, count, &active);
    if (link.ok()) continue;
    if (link.code == Errc::invalid_argument || link.code == Errc::not_supported) break;
    return link.failure();
  }
  return NvLinkRange(session_, handle_, count);
}

Result<UnitRange> Library::units() const {
  return unit_count().transform([this](unsigned int count) { return UnitRange(session_, count); });
}

Result<Unit> UnitRange::operator[](unsigned int index) const {
  abi::nvmlUnit_t handle{};
  const Outcome outcome = call(*session_, &Table::UnitGetHandleByIndex, index, &handle);
  if (!outcome.ok()) return outcome.failure();
  return Unit(session_, handle);
}

}  // namespace nvmlkit::nvml
