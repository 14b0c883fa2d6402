#include "collector.hpp"

#include <nvmlkit/registry.hpp>

#include "families.hpp"

namespace nvml = nvmlkit::nvml;
using nvml::Metric;

namespace {

// What one metric of the sampler becomes: Prometheus wants base units and names that say them.
struct Exported {
  Metric metric;
  const char* name;
  const char* help;
  double scale;
  bool counter;
  Labels labels;
};

constexpr const char* kEccHelp = "ECC errors since the driver was loaded, or ever.";

Labels ecc(const char* error, const char* counter) { return {{"error", error}, {"counter", counter}}; }

const std::vector<Exported>& exported() {
  static const std::vector<Exported> all{
      {Metric::power, "nvml_power_watts", "Power that the GPU takes.", 1e-3, false, {}},
      {Metric::enforced_power_limit, "nvml_power_limit_watts", "Power limit in force.", 1e-3, false, {}},
      {Metric::energy, "nvml_energy_joules_total", "Energy since the driver was loaded.", 1e-3, true, {}},
      {Metric::temperature, "nvml_temperature_celsius", "Temperature.", 1, false, {{"sensor", "gpu"}}},
      {Metric::memory_temperature, "nvml_temperature_celsius", "Temperature.", 1, false, {{"sensor", "memory"}}},
      {Metric::gpu_utilization, "nvml_utilization_ratio", "Busy part of the time.", 1e-2, false, {{"engine", "gpu"}}},
      {Metric::memory_utilization, "nvml_utilization_ratio", "", 1e-2, false, {{"engine", "memory"}}},
      {Metric::encoder_utilization, "nvml_utilization_ratio", "", 1e-2, false, {{"engine", "encoder"}}},
      {Metric::decoder_utilization, "nvml_utilization_ratio", "", 1e-2, false, {{"engine", "decoder"}}},
      {Metric::graphics_clock, "nvml_clock_hertz", "Current clock.", 1e6, false, {{"clock", "graphics"}}},
      {Metric::sm_clock, "nvml_clock_hertz", "", 1e6, false, {{"clock", "sm"}}},
      {Metric::memory_clock, "nvml_clock_hertz", "", 1e6, false, {{"clock", "memory"}}},
      {Metric::video_clock, "nvml_clock_hertz", "", 1e6, false, {{"clock", "video"}}},
      {Metric::memory_total, "nvml_memory_total_bytes", "Memory of the GPU.", 1, false, {}},
      {Metric::memory_used, "nvml_memory_used_bytes", "Memory in use.", 1, false, {}},
      {Metric::memory_free, "nvml_memory_free_bytes", "Memory that is free.", 1, false, {}},
      {Metric::fan_speed, "nvml_fan_speed_ratio", "Speed of the first fan.", 1e-2, false, {}},
      {Metric::p_state, "nvml_p_state", "P-state, 0 is the fastest.", 1, false, {}},
      {Metric::ecc_corrected_volatile, "nvml_ecc_errors", kEccHelp, 1, false, ecc("corrected", "volatile")},
      {Metric::ecc_uncorrected_volatile, "nvml_ecc_errors", "", 1, false, ecc("uncorrected", "volatile")},
      {Metric::ecc_corrected_aggregate, "nvml_ecc_errors", "", 1, false, ecc("corrected", "aggregate")},
      {Metric::ecc_uncorrected_aggregate, "nvml_ecc_errors", "", 1, false, ecc("uncorrected", "aggregate")},
      {Metric::remapped_rows_corrected,
       "nvml_remapped_rows",
       "Memory rows replaced.",
       1,
       false,
       {{"cause", "corrected"}}},
      {Metric::remapped_rows_uncorrected, "nvml_remapped_rows", "", 1, false, {{"cause", "uncorrected"}}},
      {Metric::pcie_replays, "nvml_pcie_replays_total", "PCIe packets sent again.", 1, true, {}},
      {Metric::nvlink_tx, "nvml_nvlink_transmitted_bytes_total", "Payload over all NVLinks.", 1024, true, {}},
      {Metric::nvlink_rx, "nvml_nvlink_received_bytes_total", "Payload over all NVLinks.", 1024, true, {}},
      {Metric::nvlink_crc_flit_errors, "nvml_nvlink_errors_total", "NVLink errors.", 1, true, {{"error", "crc_flit"}}},
      {Metric::nvlink_replay_errors, "nvml_nvlink_errors_total", "", 1, true, {{"error", "replay"}}},
      {Metric::nvlink_recovery_errors, "nvml_nvlink_errors_total", "", 1, true, {{"error", "recovery"}}},
      {Metric::clock_event_reasons,
       "nvml_clock_event_reasons",
       "Bit mask of why clocks are what they are.",
       1,
       false,
       {}}};
  return all;
}

Labels labels_of(const GpuIdentity& gpu, const Labels& more = {}) {
  Labels labels{{"gpu", std::to_string(gpu.index)}, {"uuid", gpu.uuid}};
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

void add_reading(Families& families, const GpuIdentity& gpu, const Exported& e, const nvml::Reading& reading) {
  if (!reading.ok()) return;  // what a GPU cannot tell has no sample: it is not zero
  const double value = reading.number() * e.scale;
  if (e.metric == Metric::clock_event_reasons) {
    const nvml::ClocksEventReasons reasons(static_cast<unsigned long long>(reading.number()));
    for (const auto& [name, number] : nvml::enumerators<nvml::ClocksEventReason>)
      families.gauge("nvml_clock_event_reason_active", "Whether this reason holds the clocks back now.",
                     labels_of(gpu, {{"reason", name}}), reasons.contains(nvml::ClocksEventReason(number)));
    return;
  }
  if (e.counter)
    families.counter(e.name, e.help, labels_of(gpu, e.labels), value);
  else
    families.gauge(e.name, e.help, labels_of(gpu, e.labels), value);
}

void add_links(Families& families, const GpuIdentity& gpu) {
  const auto links = gpu.device.nvlinks();
  if (!links) return;
  for (const nvml::NvLink& link : *links)
    if (const auto active = link.active())
      families.gauge("nvml_nvlink_active", "Whether the link is up.",
                     labels_of(gpu, {{"link", std::to_string(link.index())}}), *active);
}

void add_mig(Families& families, const GpuIdentity& gpu) {
  const auto mode = gpu.device.mig_mode();
  if (!mode) return;
  families.gauge("nvml_mig_mode", "Whether the GPU is in MIG mode.", labels_of(gpu), mode->current_mode);
  if (!mode->current_mode) return;
  const auto instances = gpu.device.mig_devices();
  if (!instances) return;
  for (const nvml::MigDevice& mig : *instances) {
    const auto uuid = mig.uuid();
    const auto memory = mig.memory_info();
    if (!uuid || !memory) continue;
    Labels more{{"mig_uuid", *uuid}};
    if (const auto id = mig.gpu_instance_id()) more.emplace_back("gpu_instance", std::to_string(*id));
    if (const auto id = mig.compute_instance_id()) more.emplace_back("compute_instance", std::to_string(*id));
    const Labels labels = labels_of(gpu, more);
    families.gauge("nvml_mig_memory_total_bytes", "Memory of the MIG device.", labels,
                   static_cast<double>(memory->total.count()));
    families.gauge("nvml_mig_memory_used_bytes", "Memory in use.", labels, static_cast<double>(memory->used.count()));
  }
}

const GpuIdentity* find(const std::vector<GpuIdentity>& gpus, unsigned int index) {
  for (const GpuIdentity& gpu : gpus)
    if (gpu.index == index) return &gpu;
  return nullptr;
}

void add_processes(Families& families, const nvml::Library& library, const std::vector<GpuIdentity>& gpus) {
  const auto list = nvml::list_processes(library);
  if (!list) return;
  for (const nvml::Process& process : list->processes) {
    for (const nvml::ProcessUse& use : process.uses) {
      const GpuIdentity* gpu = find(gpus, use.device_index);
      if (!gpu) continue;
      Labels more{{"pid", std::to_string(process.pid)}, {"process", process.name.value_or("")}};
      if (use.gpu_instance) more.emplace_back("gpu_instance", std::to_string(*use.gpu_instance));
      if (use.compute_instance) more.emplace_back("compute_instance", std::to_string(*use.compute_instance));
      const Labels labels = labels_of(*gpu, more);
      if (use.memory)
        families.gauge("nvml_process_memory_bytes", "Memory of a process.", labels,
                       static_cast<double>(use.memory->count()));
      if (use.utilization)
        families.gauge("nvml_process_sm_utilization_ratio", "SM time of a process.", labels,
                       static_cast<double>(use.utilization->sm.count()) / 100);
    }
  }
}

}  // namespace

nvml::Result<Collector> Collector::create(const nvml::Library& library) {
  const auto devices = library.devices();
  if (!devices) return devices.error();
  std::vector<GpuIdentity> gpus;
  std::vector<nvml::Device> sampled;
  for (unsigned int i = 0; i < devices->size(); ++i) {
    const auto device = (*devices)[i];
    const auto uuid = device.and_then([](const nvml::Device& d) { return d.uuid(); });
    if (!uuid) continue;
    gpus.push_back({i, *device, *uuid, device->name().value_or("")});
    sampled.push_back(*device);
  }
  std::vector<nvml::Sampler::Request> requests;
  for (const Exported& e : exported()) requests.emplace_back(e.metric);
  auto sampler = nvml::Sampler::create(library, sampled, requests);
  if (!sampler) return sampler.error();
  return Collector(library, std::move(gpus), *std::move(sampler));
}

Collector::Collector(nvml::Library library, std::vector<GpuIdentity> gpus, nvml::Sampler sampler)
    : library_(std::move(library)), gpus_(std::move(gpus)), sampler_(std::move(sampler)) {}

Collector::Collector(Collector&& other) noexcept
    : library_(std::move(other.library_)), gpus_(std::move(other.gpus_)), sampler_(std::move(other.sampler_)) {}

std::vector<prometheus::MetricFamily> Collector::Collect() const {
  const std::lock_guard lock(mutex_);
  Families families;
  sampler_.tick();
  for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    families.gauge("nvml_gpu_info", "What the GPU is.", labels_of(gpus_[gpu], {{"name", gpus_[gpu].name}}), 1);
    for (std::size_t i = 0; i < exported().size(); ++i)
      add_reading(families, gpus_[gpu], exported()[i], sampler_.reading(gpu, i));
    add_links(families, gpus_[gpu]);
    add_mig(families, gpus_[gpu]);
  }
  add_processes(families, library_, gpus_);
  return families.take();
}
