#include "registry/gpm_metrics.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "registry/error.hpp"

namespace nvmlgen {
namespace {

constexpr std::string_view kPrefix = "NVML_GPM_METRIC_";

GpmMetric read(const std::string& where, const std::string& name, const YAML::Node& node) {
  GpmMetric metric;
  metric.name = name;
  for (const auto& item : node) {
    const auto key = item.first.as<std::string>();
    if (key == "short")
      metric.short_name = item.second.as<std::string>();
    else if (key == "unit")
      metric.unit = item.second.as<std::string>();
    else if (key == "code")
      metric.code = item.second.as<std::string>();
    else if (key == "index")
      metric.index = item.second.as<unsigned>();
    else if (key == "unsupported")
      metric.unsupported = item.second.as<std::string>();
    else
      throw RegistryError(where, "unknown key '" + key + "' of " + name);
  }
  if (metric.unit.empty() || metric.code.empty() == metric.unsupported.empty())
    throw RegistryError(where, name + " needs unit, and either code or unsupported");
  return metric;
}

}  // namespace

std::string GpmMetric::long_name() const { return name.substr(kPrefix.size()); }

std::vector<GpmMetric> load_gpm_metrics(const std::filesystem::path& file, const Facts& facts) {
  std::vector<GpmMetric> out;
  std::set<std::string> named;
  try {
    for (const auto& item : YAML::LoadFile(file.string())) {
      const auto name = item.first.as<std::string>();
      const auto where = file.string() + ":" + std::to_string(item.first.Mark().line + 1);
      const auto id = facts.value(name);
      if (!id || !name.starts_with(kPrefix)) throw RegistryError(where, name + " is no GPM metric of the facts");
      out.push_back(read(where, name, item.second));
      out.back().id = *id;
      named.insert(name);
    }
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  }
  const auto* all = facts.enumeration("nvmlGpmMetricId_t");
  for (std::size_t i = 0; all && i < all->values.size(); ++i)
    if (const auto& name = all->values[i].first; name != "NVML_GPM_METRIC_MAX" && !named.count(name))
      throw RegistryError(file.string(), "no entry for " + name);
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return out;
}

}  // namespace nvmlgen
