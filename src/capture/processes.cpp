// Processes on a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "capture/parts.hpp"

namespace nvmlkit::capture {
namespace {

constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
constexpr std::size_t kLongestName = 127;  // of a machine file
constexpr std::uint64_t kNoInstance = 0xFFFFFFFF;

struct Process {
  std::string type;  // letters, as they were found: C, G, M
  std::uint64_t memory = kUnknown;
  std::uint64_t gpu_instance = kNoInstance, compute_instance = kNoInstance;
};

// The second version has the same layout in all drivers.
const Json* list(const Record& gpu, const char* kind) {
  for (const char* version : {"_v2", "_v3", ""})
    if (const auto* infos = gpu.ask(fmt::format("nvmlDeviceGet{}RunningProcesses{}", kind, version), "infos"))
      return infos;
  return nullptr;
}

std::uint64_t number(const Json& item, const char* name, std::uint64_t otherwise) {
  const auto at = item.find(name);
  return at != item.end() && at->is_number() ? at->get<std::uint64_t>() : otherwise;
}

// A machine file knows C, G, C+G, M and M+C.
std::string type_of(const std::string& letters) {
  const auto has = [&](char letter) { return letters.find(letter) != std::string::npos; };
  if (has('M')) return has('C') ? "M+C" : "M";
  return has('G') ? has('C') ? "C+G" : "G" : "C";
}

const Json* name_of(std::uint64_t pid, const Answers& answers) {
  const auto* answer = answers.machine().answer(fmt::format("nvmlSystemGetProcessName({})", pid));
  return succeeded(answer) ? at(answer, "name") : nullptr;
}

}  // namespace

std::vector<std::uint64_t> vgpu_pids(const Record& gpu, const Answers& answers) {
  std::vector<std::uint64_t> pids;
  if (answers.children(gpu.object(), Subject::vgpu).empty()) return pids;
  if (const auto* infos = list(gpu, "Compute"))
    for (const auto& info : *infos)
      if (const auto* name = name_of(number(info, "pid", 0), answers); name != nullptr && *name == "vgpu")
        pids.push_back(number(info, "pid", 0));
  return pids;
}

void record_processes(Record& gpu, const Answers& answers) {
  const auto of_vgpus = vgpu_pids(gpu, answers);
  std::map<std::uint64_t, Process> processes;
  const std::pair<const char*, char> kinds[] = {{"Compute", 'C'}, {"Graphics", 'G'}, {"MPSCompute", 'M'}};
  for (const auto& [kind, letter] : kinds) {
    const auto* infos = list(gpu, kind);
    if (infos == nullptr) continue;
    for (const auto& info : *infos) {
      const auto pid = number(info, "pid", 0);
      if (std::find(of_vgpus.begin(), of_vgpus.end(), pid) != of_vgpus.end()) continue;
      auto& process = processes[pid];
      process.type += letter;
      process.memory = number(info, "usedGpuMemory", kUnknown);
      process.gpu_instance = number(info, "gpuInstanceId", kNoInstance);
      process.compute_instance = number(info, "computeInstanceId", kNoInstance);
    }
  }
  // Of several samples of a process the last one.
  std::map<std::uint64_t, const Json*> samples;
  if (const auto* all = gpu.ask("nvmlDeviceGetProcessUtilization", "utilization"))
    for (const auto& sample : *all) samples[number(sample, "pid", 0)] = &sample;
  FlowList out;
  for (const auto& [pid, process] : processes) {
    FlowMap item;
    item.add("pid", pid);
    item.add("type", in_quotes(type_of(process.type)));
    if (const auto* name = name_of(pid, answers))
      item.add("name", in_quotes(name->get<std::string>().substr(0, kLongestName)));
    if (process.memory != kUnknown) item.add("used_memory_mib", process.memory >> 20);
    if (process.gpu_instance != kNoInstance) item.add("gpu_instance", process.gpu_instance);
    if (process.compute_instance != kNoInstance) item.add("compute_instance", process.compute_instance);
    if (const auto sample = samples.find(pid); sample != samples.end())
      for (const auto& [key, member] : {std::pair{"sm_util", "smUtil"}, std::pair{"mem_util", "memUtil"},
                                        std::pair{"enc_util", "encUtil"}, std::pair{"dec_util", "decUtil"}})
        item.add(key, number(*sample->second, member, 0));
    out.add(item.yaml());
  }
  gpu.set("processes", out,
          {"nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetComputeRunningProcesses_v3",
           "nvmlDeviceGetGraphicsRunningProcesses_v2", "nvmlDeviceGetGraphicsRunningProcesses_v3",
           "nvmlDeviceGetMPSComputeRunningProcesses_v2", "nvmlDeviceGetMPSComputeRunningProcesses_v3",
           "nvmlDeviceGetProcessUtilization"});
}

}  // namespace nvmlkit::capture
