#include <fmt/format.h>

#include <set>

#include "emit/driver/emitters.hpp"
#include "emit/driver/text.hpp"

namespace nvmlgen {
namespace {

std::string named(const std::string& name) { return name.empty() ? "nullptr" : '"' + name + '"'; }

}  // namespace

std::string emit_gpm_metrics(const Registry& registry) {
  std::set<std::string> codes;
  for (const auto& metric : registry.gpm_metrics)
    if (!metric.code.empty()) codes.insert(metric.code);
  std::string out = kBanner;
  out += "// GPM metrics by id: what they are called and what computes them.\n";
  out += "#include \"driver/nvml/gpm/metrics.hpp\"\n\nnamespace nvmlkit::driver {\n\nnamespace gpm_metrics {\n";
  for (const auto& code : codes) out += fmt::format("GpmValue {};\n", code);
  out += "}  // namespace gpm_metrics\n\nnamespace {\n\nconstexpr GpmMetric metrics[] = {\n";
  for (const auto& metric : registry.gpm_metrics)
    out += fmt::format("    {{{}, {}, {}, \"{}\", {}, {}}},{}\n", metric.id, named(metric.short_name),
                       metric.short_name.empty() ? "nullptr" : named(metric.long_name()), metric.unit,
                       metric.code.empty() ? "nullptr" : "&gpm_metrics::" + metric.code, metric.index,
                       metric.unsupported.empty() ? "" : "  // " + metric.unsupported);
  out += "};\n\n}  // namespace\n\nstd::span<const GpmMetric> all_gpm_metrics() { return metrics; }\n\n";
  out += "}  // namespace nvmlkit::driver\n";
  return out;
}

}  // namespace nvmlgen
