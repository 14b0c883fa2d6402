// The values of one GPU at one instant. A function makes a Reading and asks it for fields:
//
//   const telemetry::Reading now(machine, gpu);
//   return read(now(gpu.thermal.temperature_gpu_c), temp);
//
// A field that time does not move comes back as it is. While nothing moves a live one does too, after a look at a flag.
#pragma once

#include <limits>
#include <type_traits>

#include "sim/generated/model.hpp"
#include "sim/state/clock.hpp"

namespace nvmlkit::sim::telemetry {

inline constexpr unsigned int kFullFanRpm = 3000;  // of a fan that stands still at rest; an estimate

class Reading {
 public:
  Reading(const Machine& machine, const model::Gpu& gpu) : machine_(machine), gpu_(gpu) {}
  // The values of another instant, as far as the GPU remembers.
  Reading(const Machine& machine, const model::Gpu& gpu, std::int64_t at_ns)
      : machine_(machine), gpu_(gpu), at_ns_(at_ns), phase_(phase(at_ns)) {}

  template <class T>
  const model::Field<T>& operator()(const model::Field<T>& field) const {
    return field;
  }

  template <class T, auto Id>
  model::Field<T> operator()(const model::LiveField<T, Id>& field) const {
    if (!model::counts(Id) && gpu_.motion.moving == 0) [[likely]]
      return field;
    model::Field<T> out = field;
    if (field.present) out.value = whole<T>(value(Id, static_cast<double>(field.value)));
    return out;
  }

  // The value of one of the fields, where `still` stands in the model.
  double value(model::Live field, double still) const;

  std::int64_t at_ns() const;

  // Nothing while no phase has begun.
  Work done() const;
  bool busy() const;
  // How many seconds of full load the GPU has done: what traffic follows that only work causes.
  double work() const { return done().load_s[Engine::gpu] / 100; }

 private:
  const Phase* phase() const;
  const Phase* phase(std::int64_t at_ns) const;
  double seconds() const;
  double watts() const;
  double average_watts() const;
  double warmth() const;
  double temperature(double still) const;
  double graphics_mhz() const;
  double fan_percent(double still) const;
  bool is_up() const;

  // The value of one field of the subject, in a phase.
  double power(model::Live field, double still) const;
  double heat(model::Live field, double still) const;
  double fan(model::Live field, double still) const;
  double clock(model::Live field, double still) const;
  double event_reason(model::Live field, double still) const;
  double limited_us(model::Live field, double still) const;
  double utilization(model::Live field, double still) const;
  double pcie(model::Live field, double still) const;

  // Rounded to what the field can hold, whatever the value is.
  template <class T>
  static T whole(double value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value != 0;
    } else {
      constexpr double kLow = static_cast<double>(std::numeric_limits<T>::lowest());
      constexpr double kHigh =
          std::is_same_v<T, std::uint64_t> ? 9e18 : static_cast<double>(std::numeric_limits<T>::max());
      if (!(value > kLow)) return static_cast<T>(kLow);
      return static_cast<T>(value < kHigh ? value + (value < 0 ? -0.5 : 0.5) : kHigh);
    }
  }

  const Machine& machine_;
  const model::Gpu& gpu_;
  mutable std::int64_t at_ns_ = 0;
  mutable const Phase* phase_ = nullptr;
};

// Puts the values of this instant into a copy of a GPU.
void resolve(const Machine& machine, model::Gpu& copy);

}  // namespace nvmlkit::sim::telemetry
