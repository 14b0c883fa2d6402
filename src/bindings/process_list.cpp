#include <algorithm>
#include <map>
#include <nvmlkit/device.hpp>
#include <nvmlkit/process_list.hpp>
#include <tuple>

#include "process_utilization.hpp"

namespace nvmlkit::nvml {

namespace {

class Join {
 public:
  explicit Join(const ProcessListOptions& options) : options_(options) {}

  void add_device(unsigned int index, const Result<Device>& device) {
    if (!device) return problem(index, device.error());
    add_running(index, device->compute_running_processes(), &ProcessUse::compute);
    add_running(index, device->graphics_running_processes(), &ProcessUse::graphics);
    add_running(index, device->mps_compute_running_processes(), &ProcessUse::mps);
    if (options_.utilization) add_utilization(index, *device);
  }

  ProcessList finish(const Library& library) {
    for (auto& [pid, process] : by_pid_) {
      std::sort(process.uses.begin(), process.uses.end(), [](const ProcessUse& a, const ProcessUse& b) {
        return std::tie(a.device_index, a.gpu_instance, a.compute_instance) <
               std::tie(b.device_index, b.gpu_instance, b.compute_instance);
      });
      if (options_.names)
        if (auto name = library.process_name(pid)) process.name = *std::move(name);
      list_.processes.push_back(std::move(process));
    }
    return std::move(list_);
  }

 private:
  void problem(unsigned int index, const Failure& failure) {
    const Errc code = failure.code();
    if (code == Errc::not_supported || code == Errc::function_not_found || code == Errc::argument_version_mismatch)
      return;
    list_.problems.push_back({index, failure});
  }

  Process& process(unsigned int pid) { return by_pid_.try_emplace(pid, Process{pid, std::nullopt, {}}).first->second; }

  void add_running(unsigned int index, const Result<std::vector<ProcessInfo>>& entries, bool ProcessUse::*kind) {
    if (!entries) return problem(index, entries.error());
    for (const ProcessInfo& entry : *entries) {
      ProcessUse& use = use_of(process(entry.pid), index, entry);
      use.*kind = true;
      // Each list contains the memory of the whole process; the larger value is the newer.
      const auto& memory = entry.used_gpu_memory;
      if (memory && (!use.memory || *use.memory < *memory)) use.memory = memory;
    }
  }

  static ProcessUse& use_of(Process& process, unsigned int index, const ProcessInfo& entry) {
    for (ProcessUse& use : process.uses)
      if (use.device_index == index && use.gpu_instance == entry.gpu_instance_id &&
          use.compute_instance == entry.compute_instance_id)
        return use;
    ProcessUse use{};
    use.device_index = index;
    use.gpu_instance = entry.gpu_instance_id;
    use.compute_instance = entry.compute_instance_id;
    return process.uses.emplace_back(use);
  }

  void add_utilization(unsigned int index, const Device& device) {
    const auto entries = detail::utilization_entries(device, options_.since);
    if (!entries) return problem(index, entries.error());
    for (const detail::UtilizationEntry& entry : *entries) {
      ProcessUse& use = whole_device_use(process(entry.pid), index);
      if (!use.utilization || use.utilization->time <= entry.utilization.time) use.utilization = entry.utilization;
    }
  }

  // A sample is of a GPU and does not say of which instance: with several it gets an entry of its own.
  static ProcessUse& whole_device_use(Process& process, unsigned int index) {
    ProcessUse* only = nullptr;
    int count = 0;
    for (ProcessUse& use : process.uses) {
      if (use.device_index != index) continue;
      if (!use.gpu_instance) return use;
      only = &use;
      ++count;
    }
    return count == 1 ? *only : use_of(process, index, {});
  }

  const ProcessListOptions& options_;
  std::map<unsigned int, Process> by_pid_;
  ProcessList list_;
};

}  // namespace

std::optional<Bytes> Process::memory() const {
  std::optional<Bytes> sum;
  for (const ProcessUse& use : uses)
    if (use.memory) sum = sum.value_or(Bytes(0)) + *use.memory;
  return sum;
}

Result<ProcessList> list_processes(const Library& library, const ProcessListOptions& options) {
  const auto devices = library.devices();
  if (!devices) return devices.error();
  Join join(options);
  for (unsigned int index = 0; index < devices->size(); ++index) join.add_device(index, (*devices)[index]);
  return join.finish(library);
}

}  // namespace nvmlkit::nvml
