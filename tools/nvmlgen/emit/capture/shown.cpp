#include <fmt/format.h>

#include "emit/capture/emitters.hpp"
#include "emit/text/banner.hpp"

namespace nvmlgen {
namespace {

std::string shown_row(const ShownField& s) {
  return fmt::format("    {{\"{}\", \"{}\", \"{}\", {}, {}, {}}},\n", s.question, s.output, s.field, s.bit, s.divide,
                     s.answered);
}

}  // namespace

std::string emit_shown(const Registry& registry) {
  std::string rows;
  for (const auto& s : registry.shown) rows += shown_row(s);
  for (const auto& function : registry.facts.functions) {
    const auto& entry = registry.semantics.functions.at(function.name);
    const auto asked = registry.questions.all.find(function.name);
    // What a choice decides is no copy.
    if (asked == registry.questions.all.end() || !asked->second.empty()) continue;
    for (const auto& [output, field] : entry.sim.read) rows += shown_row({function.name, output, field});
  }
  for (const auto& id : registry.field_ids.ids)
    for (const auto& [scope, field] : id.scopes) {
      const auto number = scope.empty() ? 0
                                        : registry.facts
                                              .value(scope == "gpu"      ? "NVML_POWER_SCOPE_GPU"
                                                     : scope == "module" ? "NVML_POWER_SCOPE_MODULE"
                                                                         : "NVML_POWER_SCOPE_MEMORY")
                                              .value();
      rows += shown_row({fmt::format("nvmlDeviceGetFieldValues({}, {})", id.name, number), "value", field});
    }
  return fmt::format(R"({}// Where answers show fields of the model, from registry/semantics/.
#include "capture/question.hpp"

namespace nvmlkit::capture {{
namespace {{

constexpr Shown all_shown[] = {{
{}}};

}}  // namespace

std::span<const Shown> shown() {{ return all_shown; }}

}}  // namespace nvmlkit::capture
)",
                     kBanner, rows);
}

}  // namespace nvmlgen
