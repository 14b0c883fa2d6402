// The machine that is looked at: its driver, its GPUs and what they report by themselves. It survives the loss of its
// driver and finds it again.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <nvmlkit/events.hpp>
#include <nvmlkit/library.hpp>
#include <optional>
#include <string>
#include <vector>

#include "top/gpu.hpp"

namespace nvmlkit::top {

struct DriverFacts {
  std::string driver, cuda;  // "550.54.15", "12.4"
};

class Machine {
 public:
  Machine(nvml::Library library, nvml::OpenOptions options);

  // Begins a frame: takes events, and finds the driver again where it was away.
  void begin(std::uint64_t frame);
  // Asks for a GPU in this frame, unless it was asked for at this depth.
  void poll(std::size_t gpu, Depth depth);
  // Name, bus ID and UUID of all GPUs, each once.
  void learn_all();

  std::size_t size() const { return gpus_.size(); }
  const GpuReadings& gpu(std::size_t index) const { return gpus_[index].readings(); }
  // Why there is no driver now; empty: there is one.
  const std::string& problem() const { return problem_; }
  const DriverFacts& driver() const { return driver_; }
  const std::deque<EventLine>& events() const { return events_; }
  std::uint64_t frame() const { return frame_; }

 private:
  void start(nvml::Library library);
  void stop(const nvml::Failure& failure);
  void watch();
  void take_events();
  void add_event(const nvml::Event& event);

  nvml::OpenOptions options_;
  std::optional<nvml::Library> library_;
  std::optional<nvml::EventSet> event_set_;
  std::vector<void*> handles_;  // by index, of the GPUs whose events are watched
  std::vector<Gpu> gpus_;
  std::vector<Depth> asked_;  // in this frame
  std::deque<EventLine> events_;
  DriverFacts driver_;
  std::string problem_;
  std::uint64_t frame_ = 0;
};

}  // namespace nvmlkit::top
