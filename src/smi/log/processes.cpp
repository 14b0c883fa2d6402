#include "smi/log/processes.hpp"

#include <algorithm>

#include "smi/log/mig.hpp"
#include "smi/log/row.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::ProcessInfo;
using nvml::Result;

void join(std::vector<Process>& processes, const std::vector<ProcessInfo>& listed, bool Process::*kind) {
  for (const auto& info : listed) {
    const auto same = [&](const Process& known) {
      return known.pid == info.pid && known.gpu_instance == info.gpu_instance_id &&
             known.compute_instance == info.compute_instance_id;
    };
    auto at = std::find_if(processes.begin(), processes.end(), same);
    if (at == processes.end()) {
      Process process;
      process.pid = info.pid;
      process.gpu_instance = info.gpu_instance_id;
      process.compute_instance = info.compute_instance_id;
      process.memory = info.used_gpu_memory;
      at = processes.insert(processes.end(), process);
    }
    (*at).*kind = true;
  }
}

// The names are longer than those that the bindings ask for.
std::string name_of(const Gpu& gpu, unsigned pid) {
  std::string name(4096, '\0');
  const auto answer =
      gpu.host().library.call(&nvml::Table::SystemGetProcessName, pid, name.data(), static_cast<unsigned>(name.size()));
  if (!answer) return "[Not Found]";
  name.resize(name.find('\0') == std::string::npos ? name.size() : name.find('\0'));
  return name;
}

void log_processes(const Gpu& gpu, Lines& lines) {
  const auto processes = processes_of(gpu);
  if (!processes || processes->empty()) {
    lines.push_back({.depth = 1, .label = "Processes", .value = processes ? "None" : gpu.failure(processes.error())});
    lines.push_back({.depth = 1, .element = "processes"});
    return;
  }
  lines.push_back({.depth = 1, .label = "Processes", .element = "processes"});
  for (const auto& process : *processes) {
    const auto add = [&](unsigned text_depth, const char* label, const char* element, std::string value) {
      lines.push_back({.depth = 3,
                       .label = label,
                       .element = element,
                       .value = std::move(value),
                       .text_depth = text_depth - 3,
                       .narrow = true});
    };
    lines.push_back({.depth = 2, .element = "process_info"});
    add(2, "GPU instance ID", "gpu_instance_id", instance_text(process.gpu_instance));
    add(2, "Compute instance ID", "compute_instance_id", instance_text(process.compute_instance));
    add(2, "Process ID", "pid", std::to_string(process.pid));
    add(3, "Type", "type", process.type());
    add(3, "Name", "process_name", process.name);
    add(3, "Used GPU Memory", "used_memory", text_of(gpu, process.memory));
  }
}

std::string egm(const Gpu& gpu) {
  const auto capabilities = gpu->capabilities();
  if (!capabilities) return gpu.failure(capabilities.error());
  return capabilities->cap_mask.contains(nvml::DeviceCapability::egm) ? "enabled" : "disabled";
}

// clang-format off
constexpr Row kProcessRows[] = {
    {.depth = 1, .label = "Processes", .element = "processes", .sections = Section::kLog | Section::kPids, .lines = log_processes},
    {.depth = 1, .label = "Accounted Processes", .element = "", .sections = Section::kAccounting, .lines = accounted_lines},
    {.depth = 1, .label = "", .element = "accounted_processes", .lines = accounted_elements},
    {1, "Capabilities", "capabilities", nullptr, from(555)},
    {2, "EGM", "egm", egm},
};
// clang-format on

}  // namespace

std::string Process::type() const {
  std::string text;
  for (const auto& [is, letter] : {std::pair(mps, "M"), std::pair(compute, "C"), std::pair(graphics, "G")})
    if (is) text += (text.empty() ? "" : "+") + std::string(letter);
  return text;
}

Result<std::vector<Process>> processes_of(const Gpu& gpu) {
  const auto compute = gpu->compute_running_processes();
  if (!compute) return compute.error();
  std::vector<Process> processes;
  join(processes, *compute, &Process::compute);
  if (const auto mps = gpu->mps_compute_running_processes()) {
    join(processes, *mps, &Process::mps);
    if (const auto graphics = gpu->graphics_running_processes()) join(processes, *graphics, &Process::graphics);
  }
  std::stable_sort(processes.begin(), processes.end(),
                   [](const Process& a, const Process& b) { return a.pid < b.pid; });
  for (auto& process : processes) process.name = name_of(gpu, process.pid);
  return processes;
}

std::string instance_text(const std::optional<unsigned>& instance) {
  return instance ? std::to_string(*instance) : "N/A";
}

std::span<const Row> process_rows() { return kProcessRows; }

}  // namespace nvmlkit::smi
