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

const char* type_constant(const std::string& type) {
  if (type == "uint") return "NVML_VALUE_TYPE_UNSIGNED_INT";
  if (type == "int") return "NVML_VALUE_TYPE_SIGNED_INT";
  if (type == "ullong") return "NVML_VALUE_TYPE_UNSIGNED_LONG_LONG";
  return type == "ushort" ? "NVML_VALUE_TYPE_UNSIGNED_SHORT" : "NVML_VALUE_TYPE_DOUBLE";
}

std::string call(const FieldId& id) {
  const auto text = fmt::format("{}(*gpu, {}{}, scope, out)", id.code, id.live ? "now, " : "", id.id);
  return id.type.empty() ? text : fmt::format("typed({}, {}, out)", type_constant(id.type), text);
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
      out += fmt::format("      return {};\n", call(id));
    } else if (id.scopes.count("")) {
      if (id.scopes_below != 0)
        out += fmt::format("      if (scope >= {}) return typed({}, NVML_ERROR_INVALID_ARGUMENT, out);\n",
                           id.scopes_below, type_constant(id.type));
      out += "      " + put(id, id.scopes.at("")) + "\n";
    } else {
      for (const auto& [scope, path] : id.scopes) {
        // The scope of a whole base board is none at all on a GPU without one.
        const auto there = scope == "gpu_base" ? fmt::format(" && {}.present", model_expression(path)) : std::string();
        out += fmt::format("      if (scope == {}{}) {}\n", scope_constant(scope), there, put(id, path));
      }
      for (const auto& scope : id.lacks)
        out += fmt::format("      if (scope == {}) return typed({}, NVML_ERROR_NOT_SUPPORTED, out);\n",
                           scope_constant(scope), type_constant(id.type));
      out +=
          fmt::format("      return {};\n",
                      id.elsewhere.empty() ? "NVML_ERROR_INVALID_ARGUMENT"
                                           : fmt::format("typed({}, {}, out)", type_constant(id.type), id.elsewhere));
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
