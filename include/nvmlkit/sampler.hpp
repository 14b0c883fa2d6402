// Many metrics of many GPUs, read again and again: compiled once into the fewest calls, no allocation afterwards.
#pragma once

#include <chrono>
#include <cstdint>
#include <nvmlkit/device.hpp>
#include <nvmlkit/library.hpp>
#include <string_view>
#include <variant>
#include <vector>

namespace nvmlkit::nvml {

// What a Sampler can read by name. metric_unit() says what each counts in; any other field: Sampler::Field.
enum class Metric : std::uint16_t {
  power,          // of the GPU, averaged over about a second on most GPUs: nvmlDeviceGetPowerUsage
  power_average,  // field 185
  power_instant,  // field 186
  enforced_power_limit,
  energy,  // since the driver was loaded; Volta or newer
  temperature,
  memory_temperature,
  gpu_utilization,
  memory_utilization,
  encoder_utilization,
  decoder_utilization,
  jpeg_utilization,
  ofa_utilization,
  graphics_clock,
  sm_clock,
  memory_clock,
  video_clock,
  max_graphics_clock,
  max_sm_clock,
  max_memory_clock,
  max_video_clock,
  pcie_tx,  // the driver measures for 20 ms inside each of these two calls
  pcie_rx,
  pcie_tx_bytes,  // counters that cost nothing, where the driver has them: fields 197 and 198
  pcie_rx_bytes,
  pcie_replays,
  pcie_generation,
  pcie_width,
  memory_total,
  memory_used,
  memory_free,
  memory_reserved,  // needs nvmlDeviceGetMemoryInfo_v2
  bar1_total,
  bar1_used,
  fan_speed,  // of the first fan
  p_state,    // 0 is the fastest
  clock_event_reasons,
  ecc_corrected_volatile,
  ecc_uncorrected_volatile,
  ecc_corrected_aggregate,
  ecc_uncorrected_aggregate,
  remapped_rows_corrected,
  remapped_rows_uncorrected,
  remapped_rows_pending,
  remapped_rows_failed,
  retired_pages_corrected,
  retired_pages_uncorrected,
  nvlink_count,
  nvlink_tx,  // payload over all links
  nvlink_rx,
  nvlink_crc_flit_errors,
  nvlink_crc_data_errors,
  nvlink_replay_errors,
  nvlink_recovery_errors,
  power_violation,  // time that clocks were held back, by reason
  thermal_violation,
  count_  // how many there are
};

// "gpu_utilization"; "?" for a number without a name.
std::string_view to_string(Metric metric) noexcept;
// "mW", "mJ", "C", "%", "MHz", "KB/s", "B", "KiB", "ns"; empty for counts, masks and states.
std::string_view metric_unit(Metric metric) noexcept;

// The driver's own kind of number: most are unsigned, a field value may be signed or a double.
using SampleValue = std::variant<unsigned long long, long long, double>;

struct Reading {
  Errc status = Errc::not_ready;  // not_ready until the first tick
  SampleValue value;              // counts only when ok()
  // Of a field value: when the driver measured it. Of any other: when it was asked for.
  std::chrono::system_clock::time_point time;

  bool ok() const noexcept { return status == Errc::success; }
  double number() const noexcept {
    return std::visit([](auto v) { return static_cast<double>(v); }, value);
  }
};

namespace detail {
struct SamplerPlan;
}

// Reads a list of metrics of a list of GPUs, tick by tick. Not for use from several threads at once; movable. After
// Library::close() every reading is Errc::library_closed.
class Sampler {
 public:
  // Any field of nvmlDeviceGetFieldValues. Its id is translated for the driver at hand.
  using Field = FieldQuery;
  class Request {
   public:
    Request(Metric metric) noexcept : what_(metric) {}
    Request(Field field) noexcept : what_(field) {}
    const std::variant<Metric, Field>& what() const noexcept { return what_; }

   private:
    std::variant<Metric, Field> what_;
  };

  // Asks each device once for what has more than one way to be read, and keeps the way that works there.
  // What a GPU cannot tell is no failure: its readings say so. Fails for a Metric that has no name.
  static Result<Sampler> create(const Library& library, const std::vector<Device>& devices,
                                const std::vector<Request>& requests);
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;
  ~Sampler();

  // Reads everything once. Allocates nothing. One failing metric or GPU leaves the others alone.
  void tick() noexcept;

  // Indices as in the lists given to create().
  const Reading& reading(std::size_t device, std::size_t request) const noexcept {
    return readings_[device * requests_ + request];
  }
  std::size_t device_count() const noexcept { return requests_ == 0 ? 0 : readings_.size() / requests_; }
  std::size_t request_count() const noexcept { return requests_; }
  // C functions called by one tick().
  std::size_t calls_per_tick() const noexcept;

 private:
  Sampler(SessionPtr session, std::size_t requests) noexcept;

  SessionPtr session_;
  std::size_t requests_;
  std::vector<detail::SamplerPlan> plans_;  // one per device
  std::vector<Reading> readings_;
};

}  // namespace nvmlkit::nvml
