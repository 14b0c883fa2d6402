#include "emit/bindings/method.hpp"

#include <set>
#include <sstream>

#include "emit/bindings/body.hpp"
#include "emit/bindings/text.hpp"
#include "emit/bindings/versions.hpp"
#include "registry/names.hpp"

namespace nvmlgen {
namespace {

bool regular(const Function& function, const FunctionSemantics& entry) {
  if (function.library_only || !entry.by_hand.empty() || !entry.provisional.empty()) return false;
  return entry.call != Protocol::manual && entry.call != Protocol::wait;
}

std::string doc_of(const FunctionSemantics& entry, const std::vector<MethodVersion>& versions,
                   const Function& function) {
  std::ostringstream out;
  if (!entry.doc.empty() && entry.doc != "TODO") out << "  /// " << entry.doc << '\n';
  std::string needs;
  if (!entry.since.empty()) needs += " Needs " + entry.since + " or newer.";
  if (entry.root) needs += " Needs root.";
  if (function.deprecated) needs += " Deprecated by NVIDIA.";
  std::string means;
  for (const auto& [param, constant] : entry.older_means) means += (means.empty() ? "" : " and ") + constant;
  if (!means.empty()) needs += " Older versions are asked only for " + means + '.';
  if (!needs.empty()) out << "  ///" << needs << '\n';
  std::string errors;
  for (const auto& code : function.returns)
    if (code != "NVML_SUCCESS") errors += (errors.empty() ? "" : ", ") + lower_without("NVML_ERROR_", code);
  if (!errors.empty()) out << "  /// Errors: " << errors << ".\n";
  out << "  /// @c " << function.name << " (since " << function.first_seen << ')';
  std::set<std::string> named{function.name};
  for (const auto& v : versions)
    if (named.insert(v.function->name).second) out << ", @c " << v.function->name;
  out << '\n';
  return out.str();
}

// A call with numbers and enums only. The body names nothing but call(), so that the header needs no other class.
bool inlines(const Function& function, const FunctionSemantics& entry) {
  if (entry.call != Protocol::scalar && entry.call != Protocol::set) return false;
  for (const auto& p : entry.params) {
    const Param* param = function.find(p.name);
    const bool self = p.role == Role::self;
    if (!self && (param->kind == Kind::structure || param->kind == Kind::character || !class_of(param->base).empty()))
      return false;
  }
  return true;
}

}  // namespace

const std::vector<BindingClass>& binding_classes() {
  static const std::vector<BindingClass> classes{{"Library", ""},
                                                 {"Device", "nvmlDevice_t"},
                                                 {"Unit", "nvmlUnit_t"},
                                                 {"GpuInstance", "nvmlGpuInstance_t"},
                                                 {"ComputeInstance", "nvmlComputeInstance_t"},
                                                 {"VgpuType", "nvmlVgpuTypeId_t"},
                                                 {"VgpuInstance", "nvmlVgpuInstance_t"}};
  return classes;
}

std::optional<Method> method_for(const Facts& facts, const Semantics& semantics, const FunctionSemantics& entry) {
  const Function* function = facts.function(entry.name);
  if (!function || !regular(*function, entry)) return std::nullopt;
  if (!entry.chained_by.empty()) return std::nullopt;  // the newest speaks for it
  Method m;
  m.name = identifier(entry.as);
  const std::vector<MethodVersion> versions = versions_of(facts, semantics, *function, entry);
  BodyWriter writer(facts, semantics.values, entry);
  if (versions.size() == 1) {
    m.body = writer.body(versions[0], "  ");
  } else {
    std::string bodies;
    for (const auto& v : versions) {
      const std::string body = writer.body(v, "        ");
      bodies +=
          (bodies.empty() ? "" : ",\n") + ("      detail::by(" + table_member(v) + ", " + struct_version(facts, v) +
                                           ", [&]() -> Result<" + writer.answer + "> {\n" + body + "      })");
    }
    m.body = "  return detail::newest_of(\n" + bodies + ");\n";
  }
  for (const auto& v : versions) m.candidates.push_back({v.function->name, struct_version(facts, v)});
  m.answer = writer.answer;
  m.nested = writer.nested;
  m.nested_fields = writer.nested_fields;
  m.parameters = writer.parameters;
  m.arguments = writer.arguments;
  m.doc = doc_of(entry, versions, *function);
  m.inlined = versions.size() == 1 && inlines(*function, entry);
  return m;
}

}  // namespace nvmlgen
