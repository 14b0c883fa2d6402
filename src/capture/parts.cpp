#include "capture/parts.hpp"

namespace nvmlkit::capture {

void record_host(Record& host, const Answers& answers) {
  record_shown(host);
  if (const auto* version = host.ask("nvmlSystemGetCudaDriverVersion", "cudaDriverVersion")) {
    const auto number = version->get<std::uint64_t>();  // 12040 is 12.4
    host.set("system.cuda_version_major", std::to_string(number / 1000), {"nvmlSystemGetCudaDriverVersion"});
    host.set("system.cuda_version_minor", std::to_string(number % 1000 / 10), {"nvmlSystemGetCudaDriverVersion"});
  }
  record_topology(host, answers);
  record_links(host, answers);
  record_units(host, answers);
}

void record_gpu(Record& gpu, const Answers& answers) {
  // A lost GPU reports nothing else.
  if (gpu.object().refused == "GPU_IS_LOST" || failed(gpu.ask("nvmlDeviceGetName"), "GPU_IS_LOST"))
    gpu.set("failure.mode", "lost", {});
  record_shown(gpu);
  record_lists(gpu);
  record_processes(gpu, answers);
  record_mig(gpu, answers);
  record_fabric(gpu);
  record_vgpus(gpu, answers);
}

}  // namespace nvmlkit::capture
