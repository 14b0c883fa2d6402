// The calls of a device that are irregular in C.
#include <nvmlkit/device.hpp>
#include <nvmlkit/objects.hpp>

#include "conversions.hpp"
#include "field_number.hpp"

namespace nvmlkit::nvml {

using detail::call;
using detail::Outcome;

Result<std::string> Device::gsp_firmware_version() const {
  char text[abi::GSP_FIRMWARE_VERSION_BUF_SIZE] = {};
  const Outcome outcome = call(*session_, &Table::DeviceGetGspFirmwareVersion, handle_, text);
  if (!outcome.ok()) return outcome.failure();
  return detail::text_of(text, sizeof text);
}

Result<std::vector<PState>> Device::supported_performance_states() const {
  std::vector<abi::nvmlPstates_t> states(abi::MAX_GPU_PERF_PSTATES, abi::NVML_PSTATE_UNKNOWN);
  // The only list of NVML whose size is in bytes.
  const auto bytes = static_cast<unsigned int>(states.size() * sizeof(abi::nvmlPstates_t));
  const Outcome outcome = call(*session_, &Table::DeviceGetSupportedPerformanceStates, handle_, states.data(), bytes);
  if (!outcome.ok()) return outcome.failure();
  states.erase(std::find(states.begin(), states.end(), abi::NVML_PSTATE_UNKNOWN), states.end());
  std::vector<PState> answer;
  for (const auto state : states) answer.push_back(PState(state));
  return answer;
}

Result<RemappedRows> Device::remapped_rows() const {
  return detail::newest_of(detail::by(&Table::DeviceGetRemappedRows_v2, 2,
                                      [&]() -> Result<RemappedRows> {
                                        abi::nvmlRemappedRowsInfo_v2_t info{};
                                        const Outcome outcome =
                                            call(*session_, &Table::DeviceGetRemappedRows_v2, handle_, &info);
                                        if (!outcome.ok()) return outcome.failure();
                                        return detail::value_of<RemappedRows>(info);
                                      }),
                           detail::by(&Table::DeviceGetRemappedRows, 0, [&]() -> Result<RemappedRows> {
                             unsigned int corrected = 0, uncorrected = 0, pending = 0, failed = 0;
                             const Outcome outcome = call(*session_, &Table::DeviceGetRemappedRows, handle_, &corrected,
                                                          &uncorrected, &pending, &failed);
                             if (!outcome.ok()) return outcome.failure();
                             RemappedRows rows;
                             rows.corr_active_remaps = corrected;
                             rows.unc_active_remaps = uncorrected;
                             rows.pending = pending != 0;
                             rows.failure_occurred = failed != 0;
                             return rows;
                           }));
}

Result<Percent> Device::fan_speed(unsigned int fan) const {
  const auto newest = detail::by(&Table::DeviceGetFanSpeed_v2, 0, [&]() -> Result<Percent> {
    unsigned int speed = 0;
    const Outcome outcome = call(*session_, &Table::DeviceGetFanSpeed_v2, handle_, fan, &speed);
    if (!outcome.ok()) return outcome.failure();
    return Percent(speed);
  });
  if (fan != 0) return newest();
  return detail::newest_of(newest, detail::by(&Table::DeviceGetFanSpeed, 0, [&]() -> Result<Percent> {
                             unsigned int speed = 0;
                             const Outcome outcome = call(*session_, &Table::DeviceGetFanSpeed, handle_, &speed);
                             if (!outcome.ok()) return outcome.failure();
                             return Percent(speed);
                           }));
}

Result<void> Device::set_power_management_limit(Milliwatts limit, PowerScope scope) const {
  if (!detail::holds<unsigned int>(limit))
    return Failure(Errc::invalid_argument, "nvmlDeviceSetPowerManagementLimit_v2", "limit is out of range");
  const auto milliwatts = static_cast<unsigned int>(limit.count());
  const auto newest = detail::by(&Table::DeviceSetPowerManagementLimit_v2, 2, [&]() -> Result<void> {
    abi::nvmlPowerValue_v2_t value{};
    value.version = abi::version_tag<abi::nvmlPowerValue_v2_t>;
    value.powerScope = to_abi(scope);
    value.powerValueMw = milliwatts;
    const Outcome outcome = call(*session_, &Table::DeviceSetPowerManagementLimit_v2, handle_, &value);
    if (!outcome.ok()) return outcome.failure();
    return {};
  });
  if (scope != PowerScope::gpu) return newest();
  return detail::newest_of(newest, detail::by(&Table::DeviceSetPowerManagementLimit, 0, [&]() -> Result<void> {
                             const Outcome outcome =
                                 call(*session_, &Table::DeviceSetPowerManagementLimit, handle_, milliwatts);
                             if (!outcome.ok()) return outcome.failure();
                             return {};
                           }));
}

Result<AccountingStats> Device::accounting_stats(unsigned int pid) const {
  return detail::newest_of(
      detail::by(&Table::DeviceGetAccountingStats_v2, 2,
                 [&]() -> Result<AccountingStats> {
                   abi::nvmlAccountingStats_v2_t stats{};
                   stats.pid = pid;
                   const Outcome outcome = call(*session_, &Table::DeviceGetAccountingStats_v2, handle_, &stats);
                   if (!outcome.ok()) return outcome.failure();
                   return detail::value_of<AccountingStats>(stats);
                 }),
      detail::by(&Table::DeviceGetAccountingStats, 1, [&]() -> Result<AccountingStats> {
        abi::nvmlAccountingStats_t older{};
        const Outcome outcome = call(*session_, &Table::DeviceGetAccountingStats, handle_, pid, &older);
        if (!outcome.ok()) return outcome.failure();
        auto stats = detail::value_of<AccountingStats>(older);
        stats.pid = pid;
        return stats;
      }));
}

Result<std::vector<Sample>> Device::samples(SamplingType type, std::chrono::microseconds since) const {
  abi::nvmlValueType_t value_type{};
  const auto entries = detail::read_list<abi::nvmlSample_t>([&](unsigned int* count, abi::nvmlSample_t* array) {
    return call(*session_, &Table::DeviceGetSamples, handle_, to_abi(type),
                static_cast<unsigned long long>(since.count()), &value_type, count, array);
  });
  std::vector<Sample> samples;
  // NOT_FOUND says that the buffer holds nothing newer.
  if (!entries && entries.error().code() == Errc::not_found) return samples;
  if (!entries) return entries.error();
  samples.reserve(entries->size());
  for (const auto& entry : *entries) {
    const auto value = detail::decode(value_type, entry.sampleValue, "nvmlDeviceGetSamples");
    if (!value) return value.error();
    samples.push_back({std::chrono::microseconds(entry.timeStamp), *value});
  }
  return samples;
}

Result<void> Device::set_temperature_threshold(TemperatureThreshold threshold, Celsius temperature) const {
  if (!detail::holds<int>(temperature))
    return Failure(Errc::invalid_argument, "nvmlDeviceSetTemperatureThreshold", "temperature is out of range");
  auto degrees = static_cast<int>(temperature.count());
  const Outcome outcome = call(*session_, &Table::DeviceSetTemperatureThreshold, handle_, to_abi(threshold), &degrees);
  if (!outcome.ok()) return outcome.failure();
  return {};
}

Result<std::vector<Device::RetiredPage>> Device::retired_pages(PageRetirementCause cause) const {
  return detail::newest_of(
      detail::by(&Table::DeviceGetRetiredPages_v2, 0,
                 [&]() -> Result<std::vector<RetiredPage>> {
                   // One count for two arrays. Both are asked for together, so that page and time belong to each other.
                   std::vector<unsigned long long> times;
                   const auto addresses =
                       detail::read_list<unsigned long long>([&](unsigned int* count, unsigned long long* array) {
                         times.assign(array ? *count : 0, 0);
                         return call(*session_, &Table::DeviceGetRetiredPages_v2, handle_, to_abi(cause), count, array,
                                     array ? times.data() : nullptr);
                       });
                   if (!addresses) return addresses.error();
                   std::vector<RetiredPage> pages;
                   for (std::size_t i = 0; i < addresses->size(); ++i)
                     pages.push_back({(*addresses)[i], std::chrono::seconds(times[i])});
                   return pages;
                 }),
      detail::by(&Table::DeviceGetRetiredPages, 0, [&]() -> Result<std::vector<RetiredPage>> {
        const auto addresses =
            detail::read_list<unsigned long long>([&](unsigned int* count, unsigned long long* array) {
              return call(*session_, &Table::DeviceGetRetiredPages, handle_, to_abi(cause), count, array);
            });
        if (!addresses) return addresses.error();
        std::vector<RetiredPage> pages;
        for (const unsigned long long address : *addresses) pages.push_back({address, std::chrono::seconds(0)});
        return pages;
      }));
}

Result<MigActivation> Device::set_mig_mode(bool enabled) const {
  abi::nvmlReturn_t activation = abi::NVML_SUCCESS;
  const auto mode = static_cast<unsigned int>(enabled ? abi::DEVICE_MIG_ENABLE : abi::DEVICE_MIG_DISABLE);
  const Outcome outcome = call(*session_, &Table::DeviceSetMigMode, handle_, mode, &activation);
  if (!outcome.ok()) return outcome.failure();
  MigActivation answer;
  if (activation != abi::NVML_SUCCESS) answer.pending = Failure(static_cast<Errc>(activation), "nvmlDeviceSetMigMode");
  return answer;
}

Result<Device::DramEncryption> Device::dram_encryption_mode() const {
  abi::nvmlDramEncryptionInfo_t current{}, pending{};
  current.version = pending.version = abi::version_tag<abi::nvmlDramEncryptionInfo_t>;
  const Outcome outcome = call(*session_, &Table::DeviceGetDramEncryptionMode, handle_, &current, &pending);
  if (!outcome.ok()) return outcome.failure();
  return DramEncryption{current.encryptionState != abi::NVML_FEATURE_DISABLED,
                        pending.encryptionState != abi::NVML_FEATURE_DISABLED};
}

}  // namespace nvmlkit::nvml
