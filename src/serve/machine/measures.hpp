// The numbers of a GPU that change by themselves: what samples contain and charts show.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "sim/telemetry/reading.hpp"

namespace nvmlkit::serve {

struct Measure {
  std::string_view name, unit, help;
  // Nothing: the GPU has no such value.
  std::optional<double> (*read)(const sim::model::Gpu& gpu, const sim::telemetry::Reading& now);
};

std::span<const Measure> measures();

// The reasons that hold clocks back, in the order of their bits in the measure `slowdown`.
std::span<const std::string_view> slowdown_reasons();

// How many bytes the NVLinks of a GPU have sent; nothing without links.
std::optional<double> nvlink_bytes(const sim::model::Gpu& gpu, const sim::telemetry::Reading& now);

}  // namespace nvmlkit::serve
