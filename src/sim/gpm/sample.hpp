// GPM: the totals of a GPU or a GPU instance at an instant, and their difference between two instants.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/native/links.hpp"
#include "sim/native/telemetry.hpp"
#include "sim/state/machine.hpp"
#include "sim/telemetry/mix.hpp"

namespace nvmlkit::sim::gpm {

inline constexpr std::uint32_t kWholeGpu = 0xFFFFFFFF;

struct Engines {
  std::uint32_t decoders, encoders, jpeg, ofa;
};

struct Sample {
  std::uint64_t gpu;
  std::uint32_t instance;  // id of a GPU instance, or whole_gpu
  std::int64_t at_ns;
  telemetry::Work work;
  double rest[telemetry::Engine::count];             // load in per cent while no workload runs
  double tx_bytes, rx_bytes;                         // over PCIe
  std::optional<double> tx_mib_per_s, rx_mib_per_s;  // if a machine states them, in place of telemetry
  std::uint32_t nvlinks, c2c_links;
  double nvlink_bytes[links::kMaxLinks];  // in each direction
  double sm_count;
  Engines engines;
  telemetry::Mix mix;    // of kernels outside of workloads
  std::uint32_t pinned;  // a bit for each engine with a pinned load
};

// GPUs from Hopper on have GPM, and those whose machine file states it.
bool supported(const model::Gpu& gpu);

// None where the GPU has no such instance. `gpu` is the machine's own.
std::optional<Sample> take(const Machine& machine, const model::Gpu& gpu, std::uint32_t instance);

// What happened from one sample to a later one of the same GPU or instance.
class Interval {
 public:
  Interval(const Sample& first, const Sample& last);

  bool meaningful() const { return seconds_ > 0; }
  double seconds() const { return seconds_; }
  // Load of an engine in per cent, averaged over the time.
  double load(std::uint32_t engine) const;
  // Per cent of all the time in which multiprocessors did this: a telemetry::Pipe.
  double part(std::uint32_t pipe) const;
  double megacycles() const;
  double tx_bytes() const;
  double rx_bytes() const;
  // Of one NVLink in each direction; of all of them.
  double nvlink_bytes(std::uint32_t link) const;
  double nvlink_bytes() const;
  const Sample& last() const { return last_; }

 private:
  double rested() const;

  const Sample& first_;
  const Sample& last_;
  double seconds_;
};

}  // namespace nvmlkit::sim::gpm
