// pmon: a line for each process, again and again.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <thread>

#include "smi/commands.hpp"
#include "smi/log/processes.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

constexpr int kBadProcessArguments = 255;
constexpr Version kMoreEngines{550, 0};  // with columns for JPEG and OFA, and one column more between all

using nvml::ProcessUtilizationInfo;

struct ProcessMonitor {
  std::string groups = "u";
  std::vector<std::string> ids;
  std::optional<unsigned> count;
  unsigned seconds = 1;
};

std::optional<unsigned> whole_number(const std::string& text) {
  unsigned value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<ProcessMonitor> parse_process_monitor(const std::vector<std::string>& words) {
  ProcessMonitor monitor;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return {};
    const auto& word = words[i];
    const auto& value = words[i + 1];
    if (word == "-s" || word == "--select")
      monitor.groups = value;
    else if (word == "-i" || word == "--id")
      monitor.ids = split(value, ',');
    else if ((word == "-c" || word == "--count") && whole_number(value))
      monitor.count = whole_number(value);
    else if ((word == "-d" || word == "--delay") && whole_number(value))
      monitor.seconds = *whole_number(value);
    else
      return {};
  }
  return monitor;
}

struct ProcessColumn {
  char group;
  const char *name, *unit;
  bool newer;  // from 550 on
};
constexpr ProcessColumn kProcessColumns[] = {
    {'u', "sm", "%", false}, {'u', "mem", "%", false}, {'u', "enc", "%", false}, {'u', "dec", "%", false},
    {'u', "jpg", "%", true}, {'u', "ofa", "%", true},  {'m', "fb", "MB", false}, {'m', "ccpm", "MB", false},
};

bool shows(const ProcessMonitor& monitor, Version version, const ProcessColumn& column) {
  return monitor.groups.find(column.group) != std::string::npos && (!column.newer || version >= kMoreEngines);
}

template <class Cell>
std::string cells_of(const ProcessMonitor& monitor, Version version, Cell cell) {
  std::string line;
  for (const auto& column : kProcessColumns)
    if (shows(monitor, version, column)) line += fmt::format("{:>7}", cell(column));
  return line;
}

// Before 550 the first headings stand one place further left than their columns.
void print_headings(const ProcessMonitor& monitor, Version version) {
  const bool narrow = version < kMoreEngines;
  const auto print_line = [&](const char* gpu, const char* pid, const char* type, const char* command, auto text) {
    auto cells = cells_of(monitor, version, text);
    if (narrow && !cells.empty()) cells.erase(0, 1);
    fmt::print("{}{:>12}{:>{}}{}    {}{}\n", gpu, pid, type, narrow ? 6 : 7, cells, command, narrow ? "" : " ");
  };
  print_line("# gpu", "pid", "type", "command", [](const ProcessColumn& column) { return column.name; });
  print_line("# Idx", "#", "C/G", "name", [](const ProcessColumn& column) { return column.unit; });
}

// The newest samples of the last period, by process.
std::vector<ProcessUtilizationInfo> samples_of(const Gpu& gpu) {
  constexpr std::chrono::microseconds kAll{0};
  if (const auto all = gpu->processes_utilization_info(kAll)) return all->processes;
  std::vector<ProcessUtilizationInfo> samples;
  if (const auto all = gpu->process_utilization(kAll))
    for (const auto& one : *all)
      samples.push_back({.time_stamp = one.time_stamp,
                         .pid = one.pid,
                         .sm_util = one.sm_util,
                         .mem_util = one.mem_util,
                         .enc_util = one.enc_util,
                         .dec_util = one.dec_util});
  return samples;
}

std::string percent_text(const ProcessUtilizationInfo* sample, const char* column) {
  if (!sample) return "-";
  const std::string_view name = column;
  const auto value = name == "sm"    ? sample->sm_util
                     : name == "mem" ? sample->mem_util
                     : name == "enc" ? sample->enc_util
                     : name == "dec" ? sample->dec_util
                     : name == "jpg" ? sample->jpg_util
                                     : sample->ofa_util;
  return value.count() != 0 ? std::to_string(value.count()) : "-";
}

void print_processes(const ProcessMonitor& monitor, const Gpu& gpu) {
  const auto processes = processes_of(gpu);
  const auto print_line = [&](const std::string& pid, const std::string& type, const std::string& name, auto cell) {
    fmt::print("{:>5}{:>11}{:>6}{}    {:<15}\n", gpu.index(), pid, type, cells_of(monitor, gpu.version(), cell),
               name.substr(0, 15));
  };
  if (!processes || processes->empty())
    return print_line("-", "-", "-", [](const ProcessColumn&) { return std::string("-"); });
  const auto samples = samples_of(gpu);
  for (const auto& process : *processes) {
    const ProcessUtilizationInfo* newest = nullptr;
    for (const auto& sample : samples)
      if (sample.pid == process.pid && (!newest || sample.time_stamp > newest->time_stamp)) newest = &sample;
    print_line(std::to_string(process.pid), process.type(), process.name.substr(process.name.rfind('/') + 1),
               [&](const ProcessColumn& column) -> std::string {
                 if (column.group == 'u') return percent_text(newest, column.name);
                 if (std::string_view(column.name) == "ccpm") return "0";
                 return process.memory ? std::to_string(mebibytes(gpu.version(), *process.memory)) : "-";
               });
  }
}

}  // namespace

int monitor_processes(const Host& host, const Options& options) {
  const auto monitor = parse_process_monitor(options.words);
  if (!monitor) {
    fmt::print("nvmlkit smi knows of pmon: -s, -i, -c, -d, each with a value\n");
    return kBadProcessArguments;
  }
  if (monitor->groups.find_first_of("um") == std::string::npos) {
    fmt::print("Failed to find any metric to display\nFailed to process command line \n\n");
    return kBadProcessArguments;
  }
  print_headings(*monitor, host.version);
  for (unsigned round = 0; !monitor->count || round < *monitor->count; ++round) {
    if (round != 0) std::this_thread::sleep_for(std::chrono::seconds(monitor->seconds));
    const auto selection = select_gpus(host, monitor->ids);
    if (selection.refusal) {
      fmt::print("{}", selection.refusal->text);
      return selection.refusal->status;
    }
    for (const auto& gpu : selection.gpus) print_processes(*monitor, gpu);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace nvmlkit::smi
