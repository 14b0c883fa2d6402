#include "emit/bindings/interpose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "emit/driver/text.hpp"
#include "registry/questions.hpp"

namespace nvmlgen {
namespace {

std::size_t pointee_size(const Facts& facts, const Param& p) {
  if (p.kind == Kind::structure) {
    const auto* s = facts.structure(p.base);
    return s ? s->size : 0;
  }
  if (p.kind == Kind::handle) return 8;
  if (p.kind == Kind::enumeration) return 4;
  if (p.kind == Kind::character) return 1;
  const auto* t = facts.type_definition(p.base);
  const std::string& type = t ? t->type : p.base;
  return type.find("long") != std::string::npos ? 8 : type.find("char") != std::string::npos ? 1 : 4;
}

bool is_versioned(const Facts& facts, const Param& p) {
  const auto* s = p.kind == Kind::structure ? facts.structure(p.base) : nullptr;
  return p.ptr > 0 && s && !s->fields.empty() && s->fields.front().name == "version";
}

struct Row {
  const char* kind = "value";
  std::size_t size = 0;
  int length = -1;
};

// One argument: what stands behind it, and how long that is.
Row row_of(const Facts& facts, const Function& function, const Param& p, const FunctionSemantics& entry) {
  const auto& semantics = *entry.find(p.name);
  if (p.ptr == 0) return {p.kind == Kind::handle ? "handle" : "value"};
  const auto size = semantics.size ? semantics.size : pointee_size(facts, p);
  const bool text = p.kind == Kind::character;
  switch (semantics.role) {
    case Role::in:
    case Role::self:
      return {text ? "text" : "input", size};
    case Role::inout:
      return {"inout", size};
    case Role::length:
      return {entry.call == Protocol::count_known ? "output" : "inout", size};
    case Role::out:
      return {text ? "text_out" : "output", size};
    case Role::array:
      break;
  }
  const auto* length = function.find(semantics.length);
  if (!length) {  // as long as its capacity says
    const auto capacity = facts.value(semantics.capacity).value_or(1);
    return {text ? "text_out" : "output", size * static_cast<std::size_t>(capacity)};
  }
  const int at = static_cast<int>(length - function.params.data());
  if (text) return {"text_out", 1, at};
  // nvmlSystemGetDriverBranch: the length is of the text inside the struct.
  if (length->name == "length" && p.kind == Kind::structure) return {"inout", size};
  // nvmlDeviceGetSupportedPerformanceStates and the metadata of vGPUs count bytes.
  const bool bytes = length->name == "bufferSize" || length->name == "size";
  // Entries of nvmlDeviceGetFieldValues carry what is asked for.
  const bool keyed = p.base == "nvmlFieldValue_t";
  return {keyed ? "keyed_array" : "array", bytes ? 1 : size, at};
}

const char* subject_of(const Function& function, const FunctionSemantics& entry) {
  if (self_kind(function, entry) == SelfKind::device) return "device";
  if (self_kind(function, entry) == SelfKind::foreign) return "other";
  for (const auto& p : function.params)  // an integer handle beside no object
    if (p.ptr == 0 && p.kind == Kind::handle && p.base != "nvmlDevice_t") return "other";
  for (const auto& p : function.params)  // nvmlDeviceGetTopologyCommonAncestor and others of two GPUs
    if (p.ptr == 0 && p.base == "nvmlDevice_t") return "device";
  return "none";
}

}  // namespace

std::string emit_visit_members(const Facts& facts) {
  std::string out = kBanner;
  out += R"(#pragma once

#include <nvmlkit/generated/table.hpp>

namespace nvmlkit::nvml::interpose {

// Calls visitor.operator()<index>(member) for each member of the table, in its order.
template <class AnyTable, class Visitor>
void visit_members(AnyTable& table, Visitor&& visitor) {
)";
  std::size_t index = 0;
  for (const auto& f : facts.functions)
    out += fmt::format("  visitor.template operator()<{}>(table.{});\n", index++, f.stem());
  out += "}\n\n}  // namespace nvmlkit::nvml::interpose\n";
  return out;
}

std::string emit_signatures(const Registry& registry) {
  const auto& facts = registry.facts;
  std::string arguments, rows;
  std::size_t at = 0;
  for (const auto& function : facts.functions) {
    const auto& entry = registry.semantics.functions.at(function.name);
    bool pointers = false;
    int versioned = -1;
    arguments += fmt::format("    // {}\n", function.name);
    for (const auto& p : function.params) {
      const auto row = row_of(facts, function, p, entry);
      arguments += fmt::format("    {{\"{}\", ArgumentKind::{}, {}, {}}},\n", p.name, row.kind, row.size, row.length);
      if (p.ptr > 1) pointers = true;
      if (const auto* s = p.kind == Kind::structure ? facts.structure(p.base) : nullptr)
        pointers = pointers || holds_pointers(facts, s->fields);
      if (versioned < 0 && !entry.versions.empty() && is_versioned(facts, p))
        versioned = static_cast<int>(&p - function.params.data());
    }
    const auto tag = versioned < 0 ? 0 : facts.version_tag(entry.versions.front()).value_or(0);
    rows += fmt::format("    {{Effect::{}, Subject::{}, {}, {}, 0x{:08x}u, {{kArguments + {}, {}}}}},  // {}\n",
                        effect_of(function, entry), subject_of(function, entry), pointers, versioned, tag, at,
                        function.params.size(), function.name);
    at += function.params.size();
  }
  return fmt::format(R"({}// What the arguments of every symbol are.
#include <nvmlkit/interpose/signature.hpp>
#include <nvmlkit/table.hpp>

namespace nvmlkit::nvml::interpose {{
namespace {{

// name, kind, bytes behind it (of one element, where there is a length), which argument is its length
constexpr Argument kArguments[] = {{
{}}};

// effect, subject, holds pointers, which argument has a version, the newest version, arguments
constexpr Signature kSignatures[] = {{
{}}};
static_assert(sizeof(kSignatures) / sizeof(kSignatures[0]) == kSymbolCount);

}}  // namespace

std::span<const Signature> signatures() noexcept {{ return kSignatures; }}

}}  // namespace nvmlkit::nvml::interpose
)",
                     kBanner, arguments, rows);
}

}  // namespace nvmlgen
