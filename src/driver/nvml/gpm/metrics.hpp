// GPM metrics by id, from registry/semantics/values/gpm_metrics.yaml.
#pragma once

#include <span>

#include "nvmlkit/generated/abi.hpp"
#include "sim/gpm/sample.hpp"

namespace nvmlkit::driver {

// Not Supported where the GPU or instance has no such engine or link.
using GpmValue = abi::nvmlReturn_t(const sim::gpm::Interval& between, unsigned int index, double& value);

struct GpmMetric {
  unsigned int id;
  const char *short_name, *long_name;  // null: drivers have no names for it
  const char* unit;
  GpmValue* value;     // null: no GPU has it
  unsigned int index;  // of the engine or link
};

inline constexpr double kBytesPerMib = 1024.0 * 1024.0;  // rates are in MiB/s

// In the order of their ids. Generated.
std::span<const GpmMetric> all_gpm_metrics();

// Null for a number that is no metric.
const GpmMetric* find_gpm_metric(unsigned int id);

}  // namespace nvmlkit::driver
