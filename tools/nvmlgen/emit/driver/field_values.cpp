#include <fmt/format.h>

#include "emit/driver/emitters.hpp"
#include "emit/driver/text.hpp"

namespace nvmlgen {
namespace {

const char* scope_constant(const std::string& scope) {
  if (scope == "gpu") return "POWER_SCOPE_GPU";
  if (scope == "gpu_base") return "POWER_SCOPE_GPU_BASE";
  if (scope == "module") return "POWER_SCOPE_MODULE";
  return "POWER_SCOPE_MEMORY";
}

std::string put(const FieldId& id, const std::string& path) {
  return fmt::format("return put_{}(now({}), out);", id.type, model_expression(path));
}

}  // namespace

std::string emit_field_values(const Registry& registry) {
  std::string out = kBanner;
  out += R"(// Field ids of nvmlDeviceGetFieldValues: where each value comes from.
#include "driver/nvml/field_values/field_values.hpp"

namespace nvmlkit::driver {

using namespace abi;

nvmlReturn_t read_field_value(const sim::model::Gpu* gpu, const sim::telemetry::Reading& now, unsigned int id,
                              unsigned int scope, nvmlFieldValue_t& out) {
  switch (id) {
)";
  for (const auto& id : registry.field_ids.ids) {
    out += fmt::format("    case {}:  // {}\n", id.id, id.name);
    if (!id.later.empty()) {
      out += fmt::format("      return NVML_ERROR_NOT_SUPPORTED;  // not simulated yet: {}\n", id.later);
    } else if (!id.code.empty()) {
      out += fmt::format("      return {}(*gpu, {}{}, scope, out);\n", id.code, id.live ? "now, " : "", id.id);
    } else if (id.scopes.count("")) {
      out += "      " + put(id, id.scopes.at("")) + "\n";
    } else {
      for (const auto& [scope, path] : id.scopes)
        out += fmt::format("      if (scope == {}) {}\n", scope_constant(scope), put(id, path));
      out += "      return scope < POWER_SCOPE_COUNT ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_INVALID_ARGUMENT;\n";
    }
  }
  out += R"(    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

}  // namespace nvmlkit::driver
)";
  return out;
}

}  // namespace nvmlgen
