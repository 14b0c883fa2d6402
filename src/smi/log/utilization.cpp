// How busy the engines are, their sessions, and the buffers of samples that `-d UTILIZATION` adds.
#include "smi/log/row.hpp"
#include "smi/log/samples.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::Device;
using nvml::FbcStats;
using nvml::SamplingType;
using nvml::Utilization;

// Latencies have no unit here.
std::string encoder_latency(const Gpu& gpu) {
  return shown_as<&Gpu::encoder, &Device::EncoderStats::average_latency>(
      gpu, [](auto time) { return std::to_string(time.count()); });
}
std::string capture_latency(const Gpu& gpu) {
  return shown_as<&Gpu::fbc, &FbcStats::average_latency>(gpu, [](auto time) { return std::to_string(time.count()); });
}

std::string dram_current(const Gpu& gpu) { return show<&Gpu::dram_encryption, &Device::DramEncryption::current>(gpu); }
std::string dram_pending(const Gpu& gpu) { return show<&Gpu::dram_encryption, &Device::DramEncryption::pending>(gpu); }

constexpr Sections kUtilization = Section::kLog | Section::kUtilization;
constexpr Versions kLowerCase = before(570);

// clang-format off
constexpr Row kUtilizationRows[] = {
    {1, "Utilization", "utilization", nullptr, kAlways, nullptr, kUtilization},
    {2, "Gpu", "gpu_util", show<&Gpu::utilization, &Utilization::gpu>, kLowerCase},
    {2, "GPU", "gpu_util", show<&Gpu::utilization, &Utilization::gpu>, from(570)},
    {2, "Memory", "memory_util", show<&Gpu::utilization, &Utilization::memory>},
    {2, "Encoder", "encoder_util", show<&Device::encoder_utilization, &Device::EncoderUtilization::utilization>},
    {2, "Decoder", "decoder_util", show<&Device::decoder_utilization, &Device::DecoderUtilization::utilization>},
    {2, "JPEG", "jpeg_util", show<&Device::jpg_utilization, &Device::JpgUtilization::utilization>},
    {2, "OFA", "ofa_util", show<&Device::ofa_utilization, &Device::OfaUtilization::utilization>},
    {.depth = 1, .label = "GPU Utilization Samples", .element = "", .sections = Section::kUtilization, .lines = sample_lines<SamplingType::gpu_utilization>},
    {.depth = 1, .label = "Memory Utilization Samples", .element = "", .sections = Section::kUtilization, .lines = sample_lines<SamplingType::memory_utilization>},
    {.depth = 1, .label = "ENC Utilization Samples", .element = "", .sections = Section::kUtilization, .lines = sample_lines<SamplingType::enc_utilization>},
    {.depth = 1, .label = "DEC Utilization Samples", .element = "", .sections = Section::kUtilization, .lines = sample_lines<SamplingType::dec_utilization>},
    {.depth = 1, .label = "JPG Utilization Samples", .element = "", .versions = from(550), .sections = Section::kUtilization, .lines = sample_lines<SamplingType::jpg_utilization>},
    {.depth = 1, .label = "OFA Utilization Samples", .element = "", .versions = from(550), .sections = Section::kUtilization, .lines = sample_lines<SamplingType::ofa_utilization>},
    {1, "Encoder Stats", "encoder_stats", nullptr, kAlways, nullptr, Section::kLog | Section::kEncoderStats},
    {2, "Active Sessions", "session_count", show<&Gpu::encoder, &Device::EncoderStats::session_count>},
    {2, "Average FPS", "average_fps", show<&Gpu::encoder, &Device::EncoderStats::average_fps>},
    {2, "Average Latency", "average_latency", encoder_latency},
    {1, "FBC Stats", "fbc_stats", nullptr, kAlways, nullptr, Section::kLog | Section::kFbcStats},
    {2, "Active Sessions", "session_count", show<&Gpu::fbc, &FbcStats::sessions_count>},
    {2, "Average FPS", "average_fps", show<&Gpu::fbc, &FbcStats::average_fps>},
    {2, "Average Latency", "average_latency", capture_latency},
    {1, "DRAM Encryption Mode", "dram_encryption_mode", nullptr, from(570)},
    {2, "Current", "current_dram_encryption", dram_current},
    {2, "Pending", "pending_dram_encryption", dram_pending},
};
// clang-format on

}  // namespace

std::span<const Row> utilization_rows() { return kUtilizationRows; }

}  // namespace nvmlkit::smi
