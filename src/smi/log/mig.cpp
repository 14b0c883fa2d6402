#include "smi/log/mig.hpp"

#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

// The elements of a device stand as deep as the one around them; their text is one deeper than the GPU's.
class DeviceLines {
 public:
  DeviceLines(const Gpu& gpu, Lines& lines) : gpu_(gpu), lines_(lines) {}

  void heading(unsigned depth, const char* label, const char* element) {
    lines_.push_back({.depth = depth, .label = label, .element = element});
  }

  template <class T>
  void value(unsigned depth, const char* label, const char* element, const nvml::Result<T>& result) {
    lines_.push_back({.depth = depth,
                      .label = label,
                      .element = element,
                      .value = result ? text_of(gpu_, *result) : gpu_.failure(result.error())});
  }

  template <class T, class Member>
  void value(unsigned depth, const char* label, const char* element, const nvml::Result<T>& result, Member member) {
    lines_.push_back({.depth = depth,
                      .label = label,
                      .element = element,
                      .value = result ? text_of(gpu_, (*result).*member) : gpu_.failure(result.error())});
  }

 private:
  const Gpu& gpu_;
  Lines& lines_;
};

void add_attributes(DeviceLines& lines, const nvml::MigDevice& device) {
  using nvml::DeviceAttributes;
  const auto attributes = device.attributes();
  lines.heading(2, "Device Attributes", "device_attributes");
  lines.heading(3, "Shared", "shared");
  lines.value(4, "Multiprocessor count", "multiprocessor_count", attributes, &DeviceAttributes::multiprocessor_count);
  lines.value(4, "Copy Engine count", "copy_engine_count", attributes, &DeviceAttributes::shared_copy_engine_count);
  lines.value(4, "Encoder count", "encoder_count", attributes, &DeviceAttributes::shared_encoder_count);
  lines.value(4, "Decoder count", "decoder_count", attributes, &DeviceAttributes::shared_decoder_count);
  lines.value(4, "OFA count", "ofa_count", attributes, &DeviceAttributes::shared_ofa_count);
  lines.value(4, "JPG count", "jpg_count", attributes, &DeviceAttributes::shared_jpeg_count);
}

void add_device(const Gpu& gpu, unsigned index, const nvml::MigDevice& device, Lines& out) {
  const bool shared = gpu.version() >= Version{580, 0};
  out.push_back({.depth = 1, .label = "MIG Device", .element = "mig_device"});
  DeviceLines lines(gpu, out);
  lines.value(2, "Index", "index", nvml::Result<unsigned>(index));
  lines.value(2, "GPU Instance ID", "gpu_instance_id", device.gpu_instance_id());
  lines.value(2, "Compute Instance ID", "compute_instance_id", device.compute_instance_id());
  add_attributes(lines, device);
  lines.heading(2, "ECC Errors", "ecc_error_count");
  lines.heading(3, "Volatile", "volatile_count");
  lines.value(4, "SRAM Uncorrectable", "sram_uncorrectable",
              device.memory_error_counter(nvml::MemoryErrorType::uncorrected, nvml::EccCounter::volatile_,
                                          nvml::MemoryLocation::sram));
  const auto memory = device.memory_info();
  lines.heading(2, shared ? "Shared FB Memory Usage" : "FB Memory Usage", "fb_memory_usage");
  lines.value(3, "Total", "total", memory, &nvml::Memory::total);
  lines.value(3, "Reserved", "reserved", memory, &nvml::Memory::reserved);
  lines.value(3, "Used", "used", memory, &nvml::Memory::used);
  lines.value(3, "Free", "free", memory, &nvml::Memory::free);
  const auto bar1 = device.bar1_memory_info();
  lines.heading(2, shared ? "Shared BAR1 Memory" : "BAR1 Memory", "bar1_memory_usage");
  lines.value(3, "Total", "total", bar1, &nvml::Bar1Memory::total);
  lines.value(3, "Used", "used", bar1, &nvml::Bar1Memory::used);
  lines.value(3, "Free", "free", bar1, &nvml::Bar1Memory::free);
}

struct Accounted {
  unsigned pid;
  nvml::AccountingStats stats;
};

std::vector<Accounted> accounted(const Gpu& gpu) {
  std::vector<Accounted> found;
  const auto pids = gpu->accounting_pids();
  if (!pids) return found;
  for (const auto pid : *pids)
    if (const auto stats = gpu->accounting_stats(pid)) found.push_back({pid, *stats});
  return found;
}

// The five values of an accounted process.
template <class Add>
void add_accounted(const Gpu& gpu, const nvml::AccountingStats& stats, Add add) {
  add("GPU Utilization", "gpu_util", text_of(gpu, stats.gpu_utilization));
  add("Memory Utilization", "mem_util", text_of(gpu, stats.memory_utilization));
  add("Max memory usage", "max_memory_usage", text_of(gpu, stats.max_memory_usage));
  add("Time", "time", fmt::format("{} ms", stats.time.count()));
  add("Is Running", "is_running", std::string(stats.is_running ? "1" : "0"));
}

}  // namespace

void mig_device_lines(const Gpu& gpu, Lines& lines) {
  const auto verbatim = [&](unsigned depth, const char* text) {
    lines.push_back({.depth = depth, .element = text, .verbatim = true});
  };
  const auto devices = gpu.mig() ? gpu->mig_devices() : nvml::Result<std::vector<nvml::MigDevice>>();
  verbatim(1, "<mig_devices>");
  if (!devices || devices->empty())
    verbatim(2, "None");
  else
    for (unsigned i = 0; i < devices->size(); ++i) add_device(gpu, i, (*devices)[i], lines);
  verbatim(1, "</mig_devices>");
}

void accounted_lines(const Gpu& gpu, Lines& lines) {
  const auto found = accounted(gpu);
  if (found.empty()) return lines.push_back({.depth = 1, .label = "Accounted Processes", .value = "None"});
  lines.push_back({.depth = 1, .label = "Accounted Processes"});
  for (const auto& [pid, stats] : found) {
    lines.push_back({.depth = 2, .label = "Process ID", .value = std::to_string(pid)});
    add_accounted(gpu, stats, [&](const char* label, const char*, std::string value) {
      lines.push_back({.depth = 3, .label = label, .value = std::move(value)});
    });
  }
}

void accounted_elements(const Gpu& gpu, Lines& lines) {
  lines.push_back({.depth = 1, .element = "accounted_processes"});
  for (const auto& [pid, stats] : accounted(gpu)) {
    lines.push_back({.depth = 2, .element = "accounted_process_info"});
    lines.push_back({.depth = 3, .element = "pid", .value = std::to_string(pid)});
    add_accounted(gpu, stats, [&](const char*, const char* element, std::string value) {
      lines.push_back({.depth = 3, .element = element, .value = std::move(value)});
    });
  }
}

}  // namespace nvmlkit::smi
