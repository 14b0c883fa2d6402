// All inputs of a GPU's live values, read from its fields, with defaults.
#pragma once

#include <optional>

#include "sim/generated/model.hpp"
#include "sim/telemetry/heat.hpp"
#include "sim/telemetry/mix.hpp"

namespace nvmlkit::sim::telemetry {

// Power with the clocks up: half of what `active` adds stays at any clock, half follows it, and a load adds
// load * (linear * clock + (1 - linear) * clock^exponent), with clock from 0 to 1.
struct PowerCurve {
  double idle, active;                    // W: nothing is up; the clocks are, and nothing runs
  double load, memory_load, engine_load;  // W that each adds at 100 %
  double linear, exponent;

  friend bool operator==(const PowerCurve&, const PowerCurve&) = default;
};

struct ClockLimits {
  double idle, lowest, highest;  // MHz
  std::optional<double> locked_min, locked_max;
  std::optional<double> application;  // where it was set away from its default
  std::optional<double> boost;        // of a busy GPU, where that is not the highest

  friend bool operator==(const ClockLimits&, const ClockLimits&) = default;
};

struct Inputs {
  bool busy;
  std::uint8_t load[Engine::count];
  Mix mix;
  double work;  // share of the power of a full load
  // What running processes share: of a busy GPU, of one that is not, and where utilization moves by itself.
  SharedLoad shared_busy, shared_rest, shared_dynamic;
  PowerCurve power;
  double limit;  // W
  Cooling cooling;
  // Warmth above rest at which software, then hardware slows the GPU down.
  double soft_limit, hard_limit;
  double hot_spot;
  ClockLimits graphics, memory;
  double video_idle, video_max;  // MHz
  double linger_s;
  std::uint32_t performance_state, link_generation;
  double tx_rest, tx_busy, rx_rest, rx_busy;  // bytes per second
  double noise_watts;
  std::uint32_t forced;  // reasons that faults keep up
  std::optional<double> pinned_warmth, pinned_watts, pinned_mhz;
  // Power that moves by itself while the GPU rests.
  std::optional<double> dynamic_watts;
  double dynamic_noise_watts;
  bool overlaid;  // something at rest is not as configured: dynamic metrics
  std::uint64_t pinned;

  friend bool operator==(const Inputs&, const Inputs&) = default;
};

Inputs inputs_of(const model::Gpu& gpu);

// The share of the power of a full load that a GPU draws with this share of its SMs or of its time in use.
double work_of(const model::Gpu& gpu, double share);

bool is_pinned(const State& state, model::Live field);

// The field without its pin.
template <class T, auto Id>
model::Field<T> unpinned(const model::Gpu& gpu, const model::LiveField<T, Id>& field) {
  model::Field<T> out = field;
  if (is_pinned(gpu.motion, Id)) {
    const auto& bytes = gpu.motion.replaced[static_cast<std::size_t>(Id)];
    if constexpr (std::is_same_v<T, bool>)
      out.value = (bytes & 1) != 0;
    else
      std::memcpy(&out.value, &bytes, sizeof(T));
  }
  return out;
}

}  // namespace nvmlkit::sim::telemetry
