// GPM metrics, typed. Read from registry/semantics/values/gpm_metrics.yaml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "registry/facts.hpp"

namespace nvmlgen {

struct GpmMetric {
  std::string name;  // NVML_GPM_METRIC_SM_UTIL
  std::int64_t id = 0;
  std::string short_name, unit;
  std::string code;         // the hand-written function that computes it
  unsigned index = 0;       // of the engine or link
  std::string unsupported;  // in place of code: why no GPU has it

  std::string long_name() const;  // SM_UTIL
};

// In the order of their ids. Throws RegistryError, also for a metric of the facts that has no entry.
std::vector<GpmMetric> load_gpm_metrics(const std::filesystem::path& file, const Facts& facts);

}  // namespace nvmlgen
