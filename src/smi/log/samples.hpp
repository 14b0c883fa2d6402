// The buffers of samples that `nvidia-smi -q -d` adds to some sections.
#pragma once

#include "smi/gpu.hpp"
#include "smi/log/lines.hpp"

namespace nvmlkit::smi {

// The lines below "GPU Utilization Samples" and its like: how long, how many, and what they say.
void add_samples(const Gpu& gpu, const char* label, nvml::SamplingType type, Lines& lines);

template <nvml::SamplingType type>
constexpr const char* sample_label() {
  switch (type) {
    case nvml::SamplingType::total_power:
      return "Power Samples";
    case nvml::SamplingType::gpu_utilization:
      return "GPU Utilization Samples";
    case nvml::SamplingType::memory_utilization:
      return "Memory Utilization Samples";
    case nvml::SamplingType::enc_utilization:
      return "ENC Utilization Samples";
    case nvml::SamplingType::dec_utilization:
      return "DEC Utilization Samples";
    case nvml::SamplingType::processor_clk:
      return "SM Clock Samples";
    case nvml::SamplingType::memory_clk:
      return "Memory Clock Samples";
    case nvml::SamplingType::jpg_utilization:
      return "JPG Utilization Samples";
    case nvml::SamplingType::ofa_utilization:
      return "OFA Utilization Samples";
    default:
      return "";
  }
}

template <nvml::SamplingType type>
void sample_lines(const Gpu& gpu, Lines& lines) {
  add_samples(gpu, sample_label<type>(), type, lines);
}

}  // namespace nvmlkit::smi
