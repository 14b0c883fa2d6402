#include "process_utilization.hpp"

#include <nvmlkit/detail/protocols.hpp>

namespace nvmlkit::nvml::detail {
namespace {

template <class Sample>
ProcessUtilization utilization_of(const Sample& sample) {
  ProcessUtilization utilization{
      sample.time_stamp, sample.sm_util, sample.mem_util, sample.enc_util, sample.dec_util, {}, {}};
  if constexpr (requires { sample.jpg_util; }) {
    utilization.jpeg = sample.jpg_util;
    utilization.ofa = sample.ofa_util;
  }
  return utilization;
}

template <class Sample>
std::vector<UtilizationEntry> entries_of(const std::vector<Sample>& samples) {
  std::vector<UtilizationEntry> entries;
  for (const Sample& sample : samples)
    if (sample.time_stamp.count() != 0) entries.push_back({sample.pid, utilization_of(sample)});  // 0: no sample
  return entries;
}

}  // namespace

Result<std::vector<UtilizationEntry>> utilization_entries(const Device& device, std::chrono::microseconds since) {
  using Entries = std::vector<UtilizationEntry>;
  auto entries = newest_of(
      [&]() -> Result<Entries> {
        return device.processes_utilization_info(since).transform(
            [](const ProcessesUtilizationInfo& info) { return entries_of(info.processes); });
      },
      [&]() -> Result<Entries> {
        return device.process_utilization(since).transform(
            [](const std::vector<ProcessUtilizationSample>& samples) { return entries_of(samples); });
      });
  if (!entries && entries.error().code() == Errc::not_found) return Entries();
  return entries;
}

}  // namespace nvmlkit::nvml::detail
