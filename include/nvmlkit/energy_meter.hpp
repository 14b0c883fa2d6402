// The energy of a GPU since a start: from its counter, or from its power if it has no counter.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nvmlkit/device.hpp>
#include <nvmlkit/library.hpp>

namespace nvmlkit::nvml {

enum class EnergyScope {
  gpu,     // the GPU with its memory
  module,  // with the CPU, where both form one module (GH200, GB200)
};
enum class EnergySource {
  counter,       // nvmlDeviceGetTotalEnergyConsumption: Volta or newer, exact however seldom it is read
  power_samples  // trapezoids between the reads of the power: as exact as the reads are frequent
};

struct EnergyReading {
  Millijoules consumed;              // since start()
  std::chrono::nanoseconds elapsed;  // since start()
  EnergySource source;
  // The counter went back to zero (a driver reload, a GPU reset) this often. What was taken between the last read
  // before and the reset is missing from `consumed`.
  unsigned int resets = 0;
  // The longest time between two reads. With power samples nothing is known of what happened in between.
  std::chrono::nanoseconds longest_gap{};

  // Over the whole time; 0 when no time has passed.
  Milliwatts average_power() const noexcept;
};

// Measures the energy that one GPU takes. Not for use from several threads at once. Copies go on separately from where
// the original is.
class EnergyMeter {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    EnergyScope scope = EnergyScope::gpu;
    std::function<Clock::time_point()> now = Clock::now;  // a test's own clock
  };

  // Takes the counter where there is one. Fails with not_supported where there is neither counter nor power.
  // @c nvmlDeviceGetTotalEnergyConsumption @c nvmlDeviceGetPowerUsage @c nvmlDeviceGetFieldValues
  static Result<EnergyMeter> start(const Library& library, const Device& device, Options options);
  static Result<EnergyMeter> start(const Library& library, const Device& device) { return start(library, device, {}); }

  // Reads the GPU and answers the sum so far. With EnergySource::power_samples call it at least once a second.
  // A failing read changes nothing: the next one that works spans the gap.
  Result<EnergyReading> read();

  EnergySource source() const noexcept { return source_; }

 private:
  enum class Power { usage, field_instant, field_average };

  EnergyMeter(SessionPtr session, HeldDevice device, Options options) noexcept
      : session_(std::move(session)), device_(device), options_(std::move(options)) {}
  Result<unsigned long long> read_counter() const;
  Result<unsigned long long> read_power() const;
  Result<unsigned long long> read_power_field(unsigned int field) const;
  void add_counter(unsigned long long now, std::chrono::nanoseconds gap) noexcept;

  SessionPtr session_;
  HeldDevice device_;
  Options options_;
  EnergySource source_ = EnergySource::counter;
  Power power_ = Power::usage;
  Clock::time_point started_;
  Clock::time_point last_time_;
  unsigned long long last_ = 0;     // mJ of the counter, or mW
  unsigned long long counted_ = 0;  // mJ
  double integrated_ = 0;           // mJ
  unsigned int resets_ = 0;
  std::chrono::nanoseconds longest_gap_{};
};

}  // namespace nvmlkit::nvml
