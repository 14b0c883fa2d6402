#include "process_entries.hpp"

#include <array>
#include <nvmlkit/detail/protocols.hpp>

namespace nvmlkit::nvml::detail {
namespace {

constexpr unsigned char kUntouched = 0xa5;
// The entry of driver 535 before 535.98: nvmlProcessInfo_v2_t with the protected memory behind it.
constexpr std::size_t kStride535 = 32;
constexpr std::size_t kMostProcesses = 65536;

std::optional<unsigned int> known(unsigned int id) {
  return id == ~0U ? std::nullopt : std::optional<unsigned int>(id);
}

std::optional<Bytes> known_memory(unsigned long long bytes) {
  return bytes == ~0ULL ? std::nullopt : std::optional<Bytes>(Bytes(bytes));
}

template <class Info>
Info info_at(const std::vector<unsigned char>& bytes, std::size_t offset) {
  Info info;
  std::memcpy(&info, bytes.data() + offset, sizeof info);
  return info;
}

ProcessEntry entry_of(const abi::nvmlProcessInfo_v1_t& info) {
  return {info.pid, known_memory(info.usedGpuMemory), {}, {}};
}
ProcessEntry entry_of(const abi::nvmlProcessInfo_v2_t& info) {
  return {info.pid, known_memory(info.usedGpuMemory), known(info.gpuInstanceId), known(info.computeInstanceId)};
}

// True when a driver that was told of `count` entries of `size` bytes wrote behind them.
bool wrote_behind(const std::vector<unsigned char>& bytes, std::size_t count, std::size_t size) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(count * size);
  const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(count * kStride535);
  return std::any_of(begin, end, [](unsigned char byte) { return byte != kUntouched; });
}

// One version of one function. Info is the layout that the version writes.
template <class Info, class Function>
Result<std::vector<ProcessEntry>> ask(const State& state, Function Table::*member, abi::nvmlDevice_t device) {
  std::size_t capacity = 0;
  for (int round = 0; round < kMaxRounds; ++round) {
    // Room for the wider entries, so that an early 535 writes over nothing else.
    std::vector<unsigned char> bytes((capacity + 1) * kStride535, kUntouched);
    auto count = static_cast<unsigned int>(capacity);
    const Outcome outcome =
        call(state, member, device, &count, capacity ? reinterpret_cast<Info*>(bytes.data()) : nullptr);
    if (!outcome.ok() && outcome.code != Errc::insufficient_size) return outcome.failure();
    if (outcome.ok() && count <= capacity) {
      const bool wide = sizeof(Info) == sizeof(abi::nvmlProcessInfo_v2_t) && wrote_behind(bytes, count, sizeof(Info));
      const std::size_t stride = wide ? kStride535 : sizeof(Info);
      std::vector<ProcessEntry> entries;
      for (std::size_t i = 0; i < count; ++i) entries.push_back(entry_of(info_at<Info>(bytes, i * stride)));
      return entries;
    }
    if (count > kMostProcesses) return Failure(Errc::malformed_answer, symbol_of(member).name);
    capacity = std::max<std::size_t>(count, capacity * 2) + 4;  // processes may start between two calls
  }
  return Failure(Errc::unstable_answer, symbol_of(member).name);
}

template <auto V3, auto V2, auto V1>
Result<std::vector<ProcessEntry>> newest(const State& state, abi::nvmlDevice_t device) {
  return newest_of([&] { return ask<abi::nvmlProcessInfo_v2_t>(state, V3, device); },
                   [&] { return ask<abi::nvmlProcessInfo_v2_t>(state, V2, device); },
                   [&] { return ask<abi::nvmlProcessInfo_v1_t>(state, V1, device); });
}

ProcessUtilization utilization_of(const abi::nvmlProcessUtilizationInfo_v1_t& sample) {
  return {std::chrono::microseconds(sample.timeStamp),
          Percent(sample.smUtil),
          Percent(sample.memUtil),
          Percent(sample.encUtil),
          Percent(sample.decUtil),
          Percent(sample.jpgUtil),
          Percent(sample.ofaUtil)};
}
ProcessUtilization utilization_of(const abi::nvmlProcessUtilizationSample_t& sample) {
  return {std::chrono::microseconds(sample.timeStamp),
          Percent(sample.smUtil),
          Percent(sample.memUtil),
          Percent(sample.encUtil),
          Percent(sample.decUtil),
          {},
          {}};
}

template <class Sample, class Ask>
Result<std::vector<UtilizationEntry>> utilization_entries(Ask ask_for) {
  auto samples = read_list<Sample>(ask_for);
  if (!samples && samples.error().code() == Errc::not_found) return std::vector<UtilizationEntry>();
  if (!samples) return samples.error();
  std::vector<UtilizationEntry> entries;
  for (const Sample& sample : *samples)
    if (sample.timeStamp != 0) entries.push_back({sample.pid, utilization_of(sample)});  // 0: a place without sample
  return entries;
}

}  // namespace

Result<std::vector<ProcessEntry>> running_processes(const State& state, abi::nvmlDevice_t device, ProcessKind kind) {
  switch (kind) {
    case ProcessKind::graphics:
      return newest<&Table::DeviceGetGraphicsRunningProcesses_v3, &Table::DeviceGetGraphicsRunningProcesses_v2,
                    &Table::DeviceGetGraphicsRunningProcesses>(state, device);
    case ProcessKind::mps:
      return newest<&Table::DeviceGetMPSComputeRunningProcesses_v3, &Table::DeviceGetMPSComputeRunningProcesses_v2,
                    &Table::DeviceGetMPSComputeRunningProcesses>(state, device);
    case ProcessKind::compute:
      break;
  }
  return newest<&Table::DeviceGetComputeRunningProcesses_v3, &Table::DeviceGetComputeRunningProcesses_v2,
                &Table::DeviceGetComputeRunningProcesses>(state, device);
}

Result<std::vector<UtilizationEntry>> process_utilization(const State& state, abi::nvmlDevice_t device,
                                                          std::chrono::microseconds since) {
  const auto last_seen = static_cast<unsigned long long>(since.count());
  return newest_of(
      [&] {
        using Sample = abi::nvmlProcessUtilizationInfo_v1_t;
        return utilization_entries<Sample>([&](unsigned int* count, Sample* array) {
          abi::nvmlProcessesUtilizationInfo_v1_t info{};
          info.version = abi::version_tag<abi::nvmlProcessesUtilizationInfo_v1_t>;
          info.processSamplesCount = *count;
          info.lastSeenTimeStamp = last_seen;
          info.procUtilArray = array;
          const Outcome outcome = call(state, &Table::DeviceGetProcessesUtilizationInfo, device, &info);
          *count = info.processSamplesCount;
          return outcome;
        });
      },
      [&] {
        using Sample = abi::nvmlProcessUtilizationSample_t;
        return utilization_entries<Sample>([&](unsigned int* count, Sample* array) {
          return call(state, &Table::DeviceGetProcessUtilization, device, array, count, last_seen);
        });
      });
}

}  // namespace nvmlkit::nvml::detail
