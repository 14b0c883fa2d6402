// The source of each Metric: a field id, or a C function that may return several metrics at once.
#pragma once

#include <array>
#include <nvmlkit/sampler.hpp>
#include <span>

namespace nvmlkit::nvml::detail {

// The C functions behind the metrics; those that answer several metrics are called once for all of them.
enum class Source : std::uint8_t {
  none,  // a field id only
  power,
  enforced_power_limit,
  energy,
  temperature,
  utilization,
  encoder,
  decoder,
  jpeg,
  ofa,
  clock,
  max_clock,
  pcie_throughput,
  pcie_replays,
  pcie_generation,
  pcie_width,
  memory,
  bar1,
  fan,
  p_state,
  event_reasons,
  ecc_errors,
};

inline constexpr std::size_t kMaxOutputs = 4;
using Outputs = std::array<SampleValue, kMaxOutputs>;
// An output that this version of the function does not have.
inline constexpr double kAbsent = -1e308;
// One way to call the C function of a source. `selector` is its second argument, where it has one.
using Ask = Errc (*)(const Session& state, HeldDevice device, unsigned int selector, Outputs& out);

// Newest first: the first that the driver knows is kept.
std::span<const Ask> versions_of(Source source) noexcept;

inline constexpr FieldId kNoField{};

struct MetricRow {
  Metric metric;
  std::string_view name;
  std::string_view unit;
  FieldId field = kNoField;  // preferred, because all fields of a device share one call
  unsigned int scope = 0;
  Source source = Source::none;
  unsigned int selector = 0;
  std::uint8_t output = 0;
};

// Null for a Metric that has no name.
const MetricRow* row_of(Metric metric) noexcept;

// ecc_errors: error type and counter type in one selector.
constexpr unsigned int ecc_selector(abi::nvmlMemoryErrorType_t error, abi::nvmlEccCounterType_t counter) {
  return static_cast<unsigned int>(error) * 2 + static_cast<unsigned int>(counter);
}

}  // namespace nvmlkit::nvml::detail
