// include/nvmlkit/generated/registry.hpp: the registry's facts about each function, as constants of C++.
#include <fmt/format.h>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/method.hpp"
#include "emit/bindings/text.hpp"

namespace nvmlgen {
namespace {

// The unit of the one number that comes back; empty where several do, or a struct.
std::string unit_of(const FunctionSemantics& entry) {
  const ParamSemantics* number = nullptr;
  for (const auto& param : entry.params) {
    if (param.role != Role::out) continue;
    if (number) return {};
    number = &param;
  }
  return number ? number->unit : "";
}

const char* access_of(const FunctionSemantics& entry) {
  if (!entry.restricted_by.empty()) return "root_while_restricted";
  return entry.root ? "root" : "anyone";
}

std::string row(const Registry& r, const Function& function) {
  std::string branches;
  for (const auto& branch : function.exported_by) branches += (branches.empty() ? "" : " ") + branch;
  const auto known = r.semantics.functions.find(function.name);
  const FunctionSemantics nothing;
  const auto& entry = known == r.semantics.functions.end() ? nothing : known->second;
  const std::string newest = entry.chained_by.empty() ? function.name : entry.chained_by;
  const std::string method = function.library_only ? "" : method_of(r, entry);
  return fmt::format("    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, Access::{}}},\n", nvmlgen::quoted(function.name),
                     nvmlgen::quoted(function.first_seen), nvmlgen::quoted(branches), nvmlgen::quoted(method),
                     nvmlgen::quoted(newest), nvmlgen::quoted(unit_of(entry)), nvmlgen::quoted(entry.since),
                     nvmlgen::quoted(entry.doc), entry.commands(), function.deprecated, access_of(entry));
}

}  // namespace

std::string emit_constexpr_registry(const Registry& r) {
  std::string functions, fields;
  for (const auto& function : r.facts.functions) functions += row(r, function);
  for (const auto& field : r.field_ids.ids)
    fields +=
        fmt::format("    {{{}, FieldId::{}}},\n", nvmlgen::quoted(field.name), lower_without("NVML_FI_", field.name));
  return std::string(kBanner) + R"(#pragma once

namespace nvmlkit::nvml {

inline constexpr FunctionFacts functions[] = {
)" + functions +
         R"(};

inline constexpr FieldFacts fields[] = {
)" + fields +
         R"(};

}  // namespace nvmlkit::nvml
)";
}

}  // namespace nvmlgen
