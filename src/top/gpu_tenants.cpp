// MIG devices and processes of a GPU.
#include <algorithm>
#include <nvmlkit/mig_device.hpp>

#include "top/gpu.hpp"

namespace nvmlkit::top {
namespace {

// A driver samples a process about once a second; a process without a new sample for this many polls is at rest.
constexpr unsigned int kKeptPolls = 3;

// "1g.10gb" of "NVIDIA H100 80GB HBM3 MIG 1g.10gb".
std::string profile_of(const std::string& name) {
  const auto at = name.rfind("MIG ");
  return at == std::string::npos ? name : name.substr(at + 4);
}

ProcessRow& row_of(std::vector<ProcessRow>& rows, const nvml::ProcessInfo& process) {
  const auto same = [&](const ProcessRow& row) {
    return row.pid == process.pid && row.gpu_instance == process.gpu_instance_id;
  };
  const auto found = std::find_if(rows.begin(), rows.end(), same);
  if (found != rows.end()) return *found;
  ProcessRow row;
  row.pid = process.pid;
  row.gpu_instance = process.gpu_instance_id;
  return rows.emplace_back(std::move(row));
}

void add_processes(std::vector<ProcessRow>& rows, const nvml::Result<std::vector<nvml::ProcessInfo>>& processes,
                   char kind) {
  if (!processes) return;
  for (const auto& process : *processes) {
    auto& row = row_of(rows, process);
    if (row.kinds.find(kind) == std::string::npos) row.kinds += kind;
    if (process.used_gpu_memory) row.memory = static_cast<double>(process.used_gpu_memory->count());
  }
}

const ProcessRow* row_before(const std::vector<ProcessRow>& rows, unsigned int pid) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.pid == pid; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

void Gpu::take_mig() {
  readings_.mig.reset();
  readings_.mig_devices.clear();
  if (!readings_.facts || !readings_.facts->has_mig) return;
  const auto mode = device_->mig_mode();
  if (!mode) return;
  readings_.mig = mode->current_mode;
  if (!mode->current_mode) return;
  const auto devices = device_->mig_devices();
  if (!devices) return;
  unsigned int place = 0;
  for (const auto& device : *devices) {
    MigRow row;
    row.place = place++;
    row.name = profile_of(device.name().value_or(""));
    if (const auto id = device.gpu_instance_id()) row.gpu_instance = *id;
    if (const auto id = device.compute_instance_id()) row.compute_instance = *id;
    if (const auto memory = device.memory_info()) {
      row.memory_used = static_cast<double>(memory->used.count());
      row.memory_total = static_cast<double>(memory->total.count());
    }
    readings_.mig_devices.push_back(std::move(row));
  }
}

void Gpu::take_processes(const nvml::Library& library) {
  std::vector<ProcessRow> rows;
  add_processes(rows, device_->compute_running_processes(), 'C');
  add_processes(rows, device_->graphics_running_processes(), 'G');
  add_processes(rows, device_->mps_compute_running_processes(), 'M');
  for (auto& row : rows) {
    const auto* before = row_before(readings_.processes, row.pid);
    row.name = before ? before->name : library.process_name(row.pid).value_or("");
    if (!before || before->age == kKeptPolls) continue;
    row.sm = before->sm;
    row.memory_utilization = before->memory_utilization;
    row.age = before->age + 1;
  }
  if (!rows.empty())
    if (const auto samples = device_->process_utilization(utilization_since_))
      for (const auto& sample : *samples) {
        utilization_since_ = std::max(utilization_since_, sample.time_stamp);
        for (auto& row : rows) {
          if (row.pid != sample.pid) continue;
          row.sm = static_cast<double>(sample.sm_util.count());
          row.memory_utilization = static_cast<double>(sample.mem_util.count());
          row.age = 0;
        }
      }
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.memory.value_or(0) > b.memory.value_or(0) || (a.memory == b.memory && a.pid < b.pid);
  });
  readings_.processes = std::move(rows);
}

}  // namespace nvmlkit::top
