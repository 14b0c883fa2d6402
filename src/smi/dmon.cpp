// dmon: a line for each GPU, again and again.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <thread>

#include "smi/commands.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

constexpr int kBadArguments = 255;

struct Column {
  char group;  // a letter of -s
  const char* name;
  const char* unit;
  std::string (*value)(const Gpu&);
};

template <class T>
std::string count_or_dash(const nvml::Result<T>& result) {
  return result ? std::to_string(result->count()) : "-";
}

std::string draw(const Gpu& gpu) {
  const auto power = gpu->power_usage();
  return power ? std::to_string(power->count() / 1000) : "-";
}
std::string gpu_heat(const Gpu& gpu) { return count_or_dash(gpu->temperature(nvml::TemperatureSensor::gpu)); }
std::string memory_heat(const Gpu& gpu) {
  const auto degrees = gpu.field(nvml::FieldId::dev_memory_temp);
  return degrees ? std::to_string(static_cast<int>(nvml::as_double(*degrees))) : "-";
}
std::string sm(const Gpu& gpu) { return gpu.utilization() ? std::to_string(gpu.utilization()->gpu.count()) : "-"; }
std::string memory_load(const Gpu& gpu) {
  return gpu.utilization() ? std::to_string(gpu.utilization()->memory.count()) : "-";
}
template <auto method>
std::string engine(const Gpu& gpu) {
  const auto load = std::invoke(method, gpu.device());
  return load ? std::to_string(load->utilization.count()) : "-";
}
template <nvml::Clock type>
std::string rate(const Gpu& gpu) {
  return count_or_dash(gpu->clock_info(type));
}

// The part of the last period in which power or heat held the clocks down is known only from two readings.
std::string power_violation(const Gpu& gpu) { return gpu->violation_status(nvml::PerfPolicy::power) ? "0" : "-"; }
std::string thermal_violation(const Gpu& gpu) {
  return gpu.version() >= Version{560, 0} && gpu->violation_status(nvml::PerfPolicy::thermal) ? "0" : "-";
}

template <class T>
std::string used(const Gpu& gpu, const nvml::Result<T>& memory) {
  return memory ? std::to_string(mebibytes(gpu.version(), memory->used)) : "-";
}
std::string frame_buffer(const Gpu& gpu) { return used(gpu, gpu.memory()); }
std::string window(const Gpu& gpu) {
  return gpu.bar1() ? std::to_string(static_cast<unsigned long long>(gpu.bar1()->used.count()) >> 20) : "-";
}
std::string protected_part(const Gpu& gpu) { return used(gpu, gpu.protected_memory()); }

template <nvml::MemoryErrorType type>
std::string errors_of(const Gpu& gpu) {
  const auto count = gpu->total_ecc_errors(type, nvml::EccCounter::volatile_);
  return count ? std::to_string(*count) : "-";
}
std::string replays(const Gpu& gpu) {
  const auto count = gpu->pcie_replay_counter();
  return count ? std::to_string(*count) : "-";
}
template <nvml::PcieCounter counter>
std::string traffic(const Gpu& gpu) {
  const auto kilobytes = gpu->pcie_throughput(counter);
  return kilobytes ? std::to_string(kilobytes->count() / 1000) : "-";
}

constexpr Column kColumns[] = {
    {'p', "pwr", "W", draw},
    {'p', "gtemp", "C", gpu_heat},
    {'p', "mtemp", "C", memory_heat},
    {'u', "sm", "%", sm},
    {'u', "mem", "%", memory_load},
    {'u', "enc", "%", engine<&nvml::Device::encoder_utilization>},
    {'u', "dec", "%", engine<&nvml::Device::decoder_utilization>},
    {'u', "jpg", "%", engine<&nvml::Device::jpg_utilization>},
    {'u', "ofa", "%", engine<&nvml::Device::ofa_utilization>},
    {'c', "mclk", "MHz", rate<nvml::Clock::mem>},
    {'c', "pclk", "MHz", rate<nvml::Clock::graphics>},
    {'v', "pviol", "%", power_violation},
    {'v', "tviol", "bool", thermal_violation},
    {'m', "fb", "MB", frame_buffer},
    {'m', "bar1", "MB", window},
    {'m', "ccpm", "MB", protected_part},
    {'e', "sbecc", "errs", errors_of<nvml::MemoryErrorType::corrected>},
    {'e', "dbecc", "errs", errors_of<nvml::MemoryErrorType::uncorrected>},
    {'e', "pci", "errs", replays},
    {'t', "rxpci", "MB/s", traffic<nvml::PcieCounter::rx_bytes>},
    {'t', "txpci", "MB/s", traffic<nvml::PcieCounter::tx_bytes>},
};

struct Monitor {
  std::string groups = "puc";
  std::vector<std::string> ids;
  std::optional<unsigned> count;
  unsigned seconds = 1;
};

std::optional<Monitor> parse_monitor(const std::vector<std::string>& words) {
  Monitor monitor;
  const auto number = [](const std::string& text) {
    unsigned value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
  };
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return {};
    const auto& value = words[i + 1];
    if (words[i] == "-s" || words[i] == "--select")
      monitor.groups = value;
    else if (words[i] == "-i" || words[i] == "--id")
      monitor.ids = split(value, ',');
    else if ((words[i] == "-c" || words[i] == "--count") && number(value))
      monitor.count = number(value);
    else if ((words[i] == "-d" || words[i] == "--delay") && number(value))
      monitor.seconds = *number(value);
    else
      return {};
  }
  return monitor;
}

template <class Cell>
void add_line(const Monitor& monitor, const std::string& first, Cell cell) {
  std::string line = first;
  for (const auto& column : kColumns)
    if (monitor.groups.find(column.group) != std::string::npos) line += fmt::format("{:>7}", cell(column));
  fmt::print("{} \n", line);
}

}  // namespace

int monitor(const Host& host, const Options& options) {
  const auto monitor = parse_monitor(options.words);
  if (!monitor) {
    fmt::print("nvmlkit smi knows of dmon: -s, -i, -c, -d, each with a value\n");
    return kBadArguments;
  }
  add_line(*monitor, "# gpu", [](const Column& column) { return column.name; });
  add_line(*monitor, "# Idx", [](const Column& column) { return column.unit; });
  for (unsigned round = 0; !monitor->count || round < *monitor->count; ++round) {
    if (round != 0) std::this_thread::sleep_for(std::chrono::seconds(monitor->seconds));
    const auto selection = select_gpus(host, monitor->ids);
    if (selection.refusal) {
      fmt::print("{}", selection.refusal->text);
      return selection.refusal->status;
    }
    for (const auto& gpu : selection.gpus)
      add_line(*monitor, fmt::format("{:>5}", gpu.index()), [&](const Column& column) { return column.value(gpu); });
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace nvmlkit::smi
