#include "top/gpu.hpp"

#include <array>
#include <nvmlkit/mig_device.hpp>
#include <span>
#include <vector>

namespace nvmlkit::top {
namespace {

using nvml::Errc;
using nvml::Metric;

constexpr std::array kRowMetrics = {
    Metric::gpu_utilization, Metric::memory_utilization,   Metric::memory_used, Metric::memory_total,
    Metric::power,           Metric::enforced_power_limit, Metric::temperature, Metric::sm_clock,
    Metric::p_state,         Metric::clock_event_reasons};

constexpr std::array kDetailMetrics = {Metric::graphics_clock,
                                       Metric::memory_clock,
                                       Metric::video_clock,
                                       Metric::memory_temperature,
                                       Metric::fan_speed,
                                       Metric::encoder_utilization,
                                       Metric::decoder_utilization,
                                       Metric::pcie_generation,
                                       Metric::pcie_width,
                                       Metric::pcie_tx_bytes,
                                       Metric::pcie_rx_bytes,
                                       Metric::pcie_replays,
                                       Metric::nvlink_tx,
                                       Metric::nvlink_rx,
                                       Metric::nvlink_crc_flit_errors,
                                       Metric::nvlink_crc_data_errors,
                                       Metric::nvlink_replay_errors,
                                       Metric::nvlink_recovery_errors,
                                       Metric::ecc_corrected_volatile,
                                       Metric::ecc_uncorrected_volatile,
                                       Metric::ecc_corrected_aggregate,
                                       Metric::ecc_uncorrected_aggregate,
                                       Metric::remapped_rows_corrected,
                                       Metric::remapped_rows_uncorrected,
                                       Metric::remapped_rows_pending,
                                       Metric::remapped_rows_failed,
                                       Metric::retired_pages_corrected,
                                       Metric::retired_pages_uncorrected};

constexpr std::array kThroughputMetrics = {Metric::pcie_tx, Metric::pcie_rx};

// The answers of a sampler by their metric.
class Answers {
 public:
  Answers(const nvml::Sampler& sampler, std::span<const Metric> metrics) : sampler_(sampler), metrics_(metrics) {}

  const nvml::Reading& reading(Metric metric) const {
    std::size_t place = 0;
    while (metrics_[place] != metric) ++place;
    return sampler_.reading(0, place);
  }
  Value number(Metric metric, double unit = 1) const {
    const auto& answer = reading(metric);
    return answer.ok() ? Value(answer.number() * unit) : std::nullopt;
  }
  std::optional<unsigned int> whole(Metric metric) const {
    const auto value = number(metric);
    return value ? std::optional(static_cast<unsigned int>(*value)) : std::nullopt;
  }
  Value sum(std::span<const Metric> metrics) const {
    Value out;
    for (const auto metric : metrics)
      if (const auto value = number(metric)) out = out.value_or(0) + *value;
    return out;
  }
  // Success if any metric has a value; else the gravest failure.
  Errc status() const {
    auto out = Errc::not_supported;
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      const auto code = sampler_.reading(0, i).status;
      if (code == Errc::gpu_is_lost || code == Errc::reset_required) return code;
      if (out != Errc::success && code != Errc::not_supported) out = code;
      if (code == Errc::success) out = code;
    }
    return out;
  }

 private:
  const nvml::Sampler& sampler_;
  std::span<const Metric> metrics_;
};

// Null where the driver does not make one.
nvml::Sampler* ready(std::optional<nvml::Sampler>& sampler, const nvml::Library& library, const nvml::Device& device,
                     std::span<const Metric> metrics) {
  if (!sampler) {
    auto made = nvml::Sampler::create(library, {device}, {metrics.begin(), metrics.end()});
    if (!made) return nullptr;
    sampler.emplace(std::move(*made));
  }
  sampler->tick();
  return &*sampler;
}

template <class Quantity>
Value count_of(const nvml::Result<Quantity>& result) {
  return result ? Value(static_cast<double>(result->count())) : std::nullopt;
}

Facts facts_of(const nvml::Device& device) {
  Facts out;
  out.name = device.name().value_or("");
  if (out.name.starts_with("NVIDIA ")) out.name.erase(0, 7);
  out.uuid = device.uuid().value_or("");
  if (const auto pci = device.pci_info()) out.bus_id = pci->bus_id;
  out.max_sm_clock = count_of(device.max_clock_info(nvml::Clock::sm));
  out.slowdown_at = count_of(device.temperature_threshold(nvml::TemperatureThreshold::slowdown));
  const std::array query = {nvml::FieldQuery{nvml::FieldId::dev_nvlink_link_count}};
  if (const auto fields = device.field_values(query); fields && (*fields)[0].value)
    out.nvlinks = static_cast<unsigned int>(nvml::as_double(*(*fields)[0].value));
  out.has_mig = device.mig_mode().has_value();
  return out;
}

}  // namespace

Value Gpu::Counter::advance(const nvml::Reading& reading, double unit) {
  if (!reading.ok()) {
    *this = {};
    return std::nullopt;
  }
  const double now = reading.number() * unit;
  const std::chrono::duration<double> passed = reading.time - time;
  if (value && passed.count() <= 0) return rate;  // the driver has measured nothing new
  rate = value && now >= *value ? std::optional((now - *value) / passed.count()) : std::nullopt;
  value = now;
  time = reading.time;
  return rate;
}

bool Gpu::find(const nvml::Library& library) {
  if (device_) return true;
  const auto device = library.device(index_);
  if (!device) {
    readings_.status = device.error().code();
    return false;
  }
  device_ = *device;
  return true;
}

void Gpu::learn(const nvml::Library& library) {
  if (!readings_.facts && find(library)) readings_.facts = facts_of(*device_);
}

// After a failure everything is found anew: the ways to read may have changed.
void Gpu::forget() {
  device_.reset();
  row_.reset();
  detail_.reset();
  throughput_.reset();
  pcie_tx_ = pcie_rx_ = nvlink_tx_ = nvlink_rx_ = {};
  readings_.row = {};
  readings_.detail = {};
  readings_.mig_devices.clear();
  readings_.processes.clear();
}

Errc Gpu::take_row(const nvml::Library& library) {
  const auto* sampler = ready(row_, library, *device_, kRowMetrics);
  if (sampler == nullptr) return Errc::unknown;
  const Answers answers(*sampler, kRowMetrics);
  auto& row = readings_.row;
  row.utilization = answers.number(Metric::gpu_utilization);
  row.memory_utilization = answers.number(Metric::memory_utilization);
  row.memory_used = answers.number(Metric::memory_used);
  row.memory_total = answers.number(Metric::memory_total);
  row.power = answers.number(Metric::power, 1e-3);
  row.power_limit = answers.number(Metric::enforced_power_limit, 1e-3);
  row.temperature = answers.number(Metric::temperature);
  row.sm_clock = answers.number(Metric::sm_clock);
  row.p_state = answers.whole(Metric::p_state);
  row.reasons.reset();
  if (const auto& reasons = answers.reading(Metric::clock_event_reasons); reasons.ok())
    row.reasons = nvml::ClocksEventReasons(static_cast<unsigned long long>(reasons.number()));
  return answers.status();
}

void Gpu::take_detail(const nvml::Library& library) {
  const auto* sampler = ready(detail_, library, *device_, kDetailMetrics);
  if (sampler == nullptr) return;
  const Answers answers(*sampler, kDetailMetrics);
  auto& detail = readings_.detail;
  detail.graphics_clock = answers.number(Metric::graphics_clock);
  detail.memory_clock = answers.number(Metric::memory_clock);
  detail.video_clock = answers.number(Metric::video_clock);
  detail.memory_temperature = answers.number(Metric::memory_temperature);
  detail.fan = answers.number(Metric::fan_speed);
  detail.encoder = answers.number(Metric::encoder_utilization);
  detail.decoder = answers.number(Metric::decoder_utilization);
  detail.pcie_generation = answers.whole(Metric::pcie_generation);
  detail.pcie_width = answers.whole(Metric::pcie_width);
  detail.pcie_tx = pcie_tx_.advance(answers.reading(Metric::pcie_tx_bytes), 1);
  detail.pcie_rx = pcie_rx_.advance(answers.reading(Metric::pcie_rx_bytes), 1);
  detail.pcie_replays = answers.number(Metric::pcie_replays);
  detail.nvlink_tx = nvlink_tx_.advance(answers.reading(Metric::nvlink_tx), 1024);
  detail.nvlink_rx = nvlink_rx_.advance(answers.reading(Metric::nvlink_rx), 1024);
  detail.nvlink_errors = answers.sum(std::array{Metric::nvlink_crc_flit_errors, Metric::nvlink_crc_data_errors,
                                                Metric::nvlink_replay_errors, Metric::nvlink_recovery_errors});
  detail.ecc_corrected = answers.number(Metric::ecc_corrected_volatile);
  detail.ecc_uncorrected = answers.number(Metric::ecc_uncorrected_volatile);
  detail.ecc_corrected_total = answers.number(Metric::ecc_corrected_aggregate);
  detail.ecc_uncorrected_total = answers.number(Metric::ecc_uncorrected_aggregate);
  detail.rows_corrected = answers.number(Metric::remapped_rows_corrected);
  detail.rows_uncorrected = answers.number(Metric::remapped_rows_uncorrected);
  detail.rows_pending = answers.number(Metric::remapped_rows_pending);
  detail.rows_failed = answers.number(Metric::remapped_rows_failed);
  detail.pages_retired = answers.sum(std::array{Metric::retired_pages_corrected, Metric::retired_pages_uncorrected});
}

void Gpu::take_throughput(const nvml::Library& library) {
  if (pcie_tx_.value) return;  // the counters say it
  const auto* sampler = ready(throughput_, library, *device_, kThroughputMetrics);
  if (sampler == nullptr) return;
  const Answers answers(*sampler, kThroughputMetrics);
  readings_.detail.pcie_tx = answers.number(Metric::pcie_tx, 1e3);
  readings_.detail.pcie_rx = answers.number(Metric::pcie_rx, 1e3);
}

void Gpu::poll(const nvml::Library& library, std::uint64_t frame, Depth depth) {
  if (depth == Depth::none) return;
  if (!find(library)) return forget();
  readings_.status = take_row(library);
  const bool fine = readings_.status == Errc::success;
  if (!fine) forget();
  const auto& row = readings_.row;
  readings_.utilization.add(frame, row.utilization);
  readings_.memory.add(frame, row.memory_used && row.memory_total && *row.memory_total > 0
                                  ? Value(100 * *row.memory_used / *row.memory_total)
                                  : std::nullopt);
  readings_.power.add(frame, row.power);
  readings_.temperature.add(frame, row.temperature);
  if (!fine) return;
  learn(library);
  if (depth < Depth::detail) return;
  take_detail(library);
  if (depth == Depth::full) take_throughput(library);
  take_health();
  take_mig();
  take_processes(library);
}

}  // namespace nvmlkit::top
