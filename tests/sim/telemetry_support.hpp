// A machine whose time moves when a test says so.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "../taken.hpp"
#include "sim/config/load.hpp"
#include "sim/state/lock.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/telemetry/pins.hpp"
#include "sim/telemetry/reading.hpp"
#include "sim/transaction/edit.hpp"

namespace nvmlkit::sim::telemetry_test {

inline const std::string h100 = "base: h100\nsystem: {num_devices: 1}\n";

class Bench {
 public:
  explicit Bench(const std::string& text) {
    std::string error;
    Overrides overrides;
    overrides.pace = 0;
    machine_ = taken(read_machine("test", "version: \"1.0\"\n" + text, overrides), error);
    if (!machine_) ADD_FAILURE() << error;
  }

  Machine& machine() { return *machine_; }
  const model::Gpu& gpu(std::size_t index = 0) const { return machine_->gpus()[index]; }

  void pass(double seconds) {
    auto& clock = machine_->host().clock;
    clock = clock.advanced(real_time_ns(), static_cast<std::int64_t>(seconds * 1e9));
  }

  template <class Change>
  void change(Change change, std::size_t index = 0) {
    const state::Lock lock(*machine_);
    transaction::Edit edit(lock, index);
    ASSERT_TRUE(edit);
    change(*edit);
    edit.commit();
  }

  void load(std::uint32_t gpu_percent, std::uint32_t memory_percent = 0, double seconds = 0) {
    model::Workload workload;
    workload.gpu = gpu_percent;
    workload.memory = memory_percent;
    load(workload, seconds);
  }
  void load(const model::Workload& workload, double seconds = 0) {
    change([&](model::Gpu& gpu) { telemetry::load(gpu, workload, now_ns(*machine_), seconds); });
  }
  void unload() {
    change([](model::Gpu& gpu) { telemetry::unload(gpu); });
  }

  // Sets a live field as `nvmlkit set` does.
  template <class Set>
  void pin(Set set) {
    change([&](model::Gpu& gpu) {
      const auto before = std::make_unique<model::Gpu>(gpu);
      set(gpu);
      telemetry::pin_changes(*before, gpu, [](std::string_view) { return false; });
    });
  }
  void release(std::string_view path) {
    change([&](model::Gpu& gpu) { telemetry::release(gpu, path); });
  }

  telemetry::Reading now(std::size_t index = 0) const { return {*machine_, gpu(index)}; }
  double celsius() const { return *now()(gpu().thermal.temperature_gpu_c); }
  double memory_celsius() const { return *now()(gpu().thermal.temperature_memory_c); }
  double watts() const { return *now()(gpu().power.current_draw_mw) / 1000.0; }
  double instant_watts() const { return *now()(gpu().power.instant_draw_mw) / 1000.0; }
  double joules() const { return static_cast<double>(*now()(gpu().power.total_energy_consumption_mj)) / 1000; }
  std::uint32_t graphics_mhz() const { return *now()(gpu().clocks.graphics_current); }
  std::uint32_t memory_mhz() const { return *now()(gpu().clocks.memory_current); }
  bool capped() const { return *now()(gpu().clocks_throttle_reasons.sw_power_cap); }
  bool too_warm() const { return *now()(gpu().clocks_throttle_reasons.sw_thermal_slowdown); }
  bool much_too_warm() const { return *now()(gpu().clocks_throttle_reasons.hw_thermal_slowdown); }

 private:
  std::unique_ptr<Machine> machine_;
};

}  // namespace nvmlkit::sim::telemetry_test
