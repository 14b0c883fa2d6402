// The metrics of GPUs that are a number of each.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "sim/state/machine.hpp"

namespace nvmlkit::metrics {

struct Value {
  std::string_view name, type, help;
  std::string_view label, word;  // one more label; empty: none. Values of one name follow one another
  // In a machine, which gives the time; nothing: the GPU has no such value.
  std::optional<double> (*read)(const sim::Machine& machine, const sim::model::Gpu& gpu);
};

std::span<const Value> gpu_values();

}  // namespace nvmlkit::metrics
