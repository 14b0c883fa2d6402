// One GPU, polled through the bindings.
#pragma once

#include <chrono>
#include <cstdint>
#include <nvmlkit/library.hpp>
#include <nvmlkit/sampler.hpp>
#include <optional>

#include "top/readings.hpp"

namespace nvmlkit::top {

// How much of a GPU is asked for.
enum class Depth : unsigned char {
  none,
  row,     // its line in the list
  detail,  // the lines below it, too
  full,    // also what takes long: PCIe traffic of drivers without counters, 20 ms for each direction
};

class Gpu {
 public:
  explicit Gpu(unsigned int index) : index_(index) {}

  void poll(const nvml::Library& library, std::uint64_t frame, Depth depth);
  // Facts alone, for a filter.
  void learn(const nvml::Library& library);

  const GpuReadings& readings() const { return readings_; }

 private:
  struct Counter {
    std::optional<double> value;
    std::chrono::system_clock::time_point time;
    std::optional<double> rate;  // per second
    Value advance(const nvml::Reading& reading, double unit);
  };

  bool find(const nvml::Library& library);
  void forget();
  nvml::Errc take_row(const nvml::Library& library);
  void take_detail(const nvml::Library& library);
  void take_throughput(const nvml::Library& library);
  void take_health();
  void take_mig();
  void take_processes(const nvml::Library& library);

  unsigned int index_;
  std::optional<nvml::Device> device_;
  std::optional<nvml::Sampler> row_, detail_, throughput_;
  Counter pcie_tx_, pcie_rx_, nvlink_tx_, nvlink_rx_;
  std::chrono::microseconds utilization_since_{};
  GpuReadings readings_;
};

}  // namespace nvmlkit::top
