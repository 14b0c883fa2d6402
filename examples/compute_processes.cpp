// Who computes on the GPUs: one line per process and GPU.
#include <cstdio>
#include <nvmlkit/nvml.hpp>

namespace nvml = nvmlkit::nvml;

namespace {

std::string shown(const std::optional<nvml::Bytes>& memory) {
  return memory ? std::to_string(memory->count() >> 20) + " MiB" : "unknown";
}

void print(const nvml::Process& process) {
  for (const nvml::ProcessUse& use : process.uses) {
    if (!use.compute && !use.mps) continue;
    std::printf("GPU %u", use.device_index);
    if (use.gpu_instance) std::printf(" instance %u", *use.gpu_instance);
    std::printf("  PID %u  %s%s  memory %s\n", process.pid, process.name.value_or("[unknown]").c_str(),
                use.mps ? " (MPS)" : "", shown(use.memory).c_str());
  }
}

}  // namespace

int main() {
  const auto list = nvml::Library::open().and_then([](const auto& library) { return nvml::list_processes(library); });
  if (!list) {
    std::fprintf(stderr, "%s\n", list.error().message().c_str());
    return 1;
  }
  for (const nvml::Process& process : list->processes) print(process);
  for (const nvml::ProcessProblem& problem : list->problems)
    std::fprintf(stderr, "GPU %u: %s\n", problem.device_index, problem.failure.message().c_str());
  std::printf("%zu processes\n", list->processes.size());
  return list->problems.empty() ? 0 : 1;
}
