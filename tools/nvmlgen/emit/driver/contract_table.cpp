#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "emit/driver/emitters.hpp"
#include "emit/driver/text.hpp"

namespace nvmlgen {
namespace {

std::size_t size_of(const Facts& facts, const Param& p) {
  if (p.kind == Kind::structure) {
    const auto* s = facts.structure(p.base);
    return s ? s->size : 0;
  }
  if (p.kind == Kind::handle) return 8;
  if (p.kind == Kind::enumeration) return 4;
  if (p.kind == Kind::character) return 1;
  if (p.base == "void") return 8;
  if (const auto* t = facts.type_definition(p.base))
    return t->type.find("long") != std::string::npos ? 8 : t->type.find("char") != std::string::npos ? 1 : 4;
  return p.base.find("long") != std::string::npos ? 8 : 4;
}

bool has_version_field(const Facts& facts, const Param& p) {
  const auto* s = p.kind == Kind::structure ? facts.structure(p.base) : nullptr;
  return s && !s->fields.empty() && s->fields.front().name == "version";
}

std::int64_t number(const Facts& facts, const std::string& result, const char* otherwise) {
  return facts.value(result.empty() ? otherwise : result).value();
}

// The result for a null pointer or an unknown value of an enum; -1: the value is accepted.
std::int64_t refusal(const Facts& facts, const Param& p, const FunctionSemantics& entry) {
  const auto& unknown = entry.find(p.name)->unknown;
  if (unknown == "accepted") return -1;
  if (!unknown.empty()) return number(facts, unknown, "");
  const auto& first = entry.needs_after;
  const bool after_need = !entry.needs.empty() && std::find(first.begin(), first.end(), p.name) == first.end();
  return number(facts, after_need ? "NVML_ERROR_NOT_SUPPORTED" : "", "NVML_ERROR_INVALID_ARGUMENT");
}

// How the contract test fills one argument, and what it may break about it.
std::string argument(const Facts& facts, const Param& p, const FunctionSemantics& entry, bool& versioned) {
  const auto& semantics = *entry.find(p.name);
  const char* kind = "value";
  if (semantics.role == Role::self)
    kind = p.base == "nvmlVgpuTypeId_t"     ? "vgpu_type"
           : p.base == "nvmlVgpuInstance_t" ? "vgpu_instance"
           : p.base == "nvmlDevice_t"       ? "device"
                                            : "foreign";
  else if (p.ptr == 0 && p.kind == Kind::handle)
    kind = p.base == "nvmlDevice_t" ? "other_device" : "foreign_value";
  else if (p.ptr == 0 && p.kind == Kind::enumeration && p.base != "nvmlReturn_t")
    kind = "enumeration";
  else if (p.ptr == 0 && semantics.role == Role::length)
    kind = "length_value";
  else if (p.ptr > 0 && semantics.optional)
    kind = "optional_pointer";
  else if (p.ptr > 0 && !entry.versions.empty() && !versioned && has_version_field(facts, p))
    kind = "versioned", versioned = true;
  else if (p.ptr > 0 && semantics.role == Role::length)
    kind = "length_pointer";
  else if (p.ptr > 0)
    kind = "pointer";
  // Buffers and structs with a variable tail are as long as their length says; the rest has a size to respect.
  const bool sized = p.ptr > 0 && semantics.role != Role::array;
  const auto size = semantics.size ? semantics.size : size_of(facts, p);
  return fmt::format("{{\"{}\", Argument::{}, {}, {}, {}}}", p.name, kind, sized ? size : 0, p.is_const(),
                     refusal(facts, p, entry));
}

}  // namespace

std::string emit_contract_table(const Registry& registry) {
  std::string out = kBanner;
  out += R"(// What every exported function checks, as the registry says.
#include "contract.hpp"

namespace nvmlkit::contract {

using enum Argument::Kind;

const std::vector<Contract>& contracts() {
  static const std::vector<Contract> all{
)";
  for (const auto& function : registry.facts.functions) {
    const auto& entry = registry.semantics.functions.at(function.name);
    std::vector<std::string> arguments;
    bool versioned = false;
    for (const auto& p : function.params) arguments.push_back(argument(registry.facts, p, entry, versioned));
    std::vector<std::string> tags;
    for (const auto& macro : entry.versions)
      tags.push_back(fmt::format("0x{:08x}u", *registry.facts.version_tag(macro)));
    const auto result = entry.sim.result.empty() ? 0 : registry.facts.value(entry.sim.result).value();
    out += fmt::format("      {{\"{}\", \"{}\", Protocol::{}, Answer::{}, {}, {}, {{{}}}, {{{}}}, {}, {}}},\n",
                       function.name, entry.file, to_string(entry.call), to_string(entry.sim.answer), result,
                       entry.before_init, fmt::join(arguments, ", "), fmt::join(tags, ", "),
                       number(registry.facts, entry.mismatch, "NVML_ERROR_ARGUMENT_VERSION_MISMATCH"),
                       !entry.needs.empty());
  }
  out += R"(  };
  return all;
}

}  // namespace nvmlkit::contract
)";
  return out;
}

}  // namespace nvmlgen
