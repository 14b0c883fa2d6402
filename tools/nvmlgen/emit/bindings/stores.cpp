// src/bindings/generated/value_stores.hpp: conversions from the value types of setters to C structs.
#include <set>
#include <sstream>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/text.hpp"
#include "emit/bindings/versions.hpp"
#include "registry/error.hpp"
#include "registry/names.hpp"

namespace nvmlgen {
namespace {

// The value types that methods take, and what they hold.
std::set<const ValueType*> stored_types(const Facts& facts, const Semantics& semantics) {
  std::set<const ValueType*> stored;
  const auto add = [&](const auto& self, const std::string& structure) -> void {
    const ValueType* type = semantics.values.of(canonical(facts, structure));
    if (!type || !stored.insert(type).second) return;
    for (const auto& f : type->fields) self(self, f.fact->type);
  };
  for (const auto& [name, entry] : semantics.functions) {
    const Function* function = facts.function(name);
    if (!entry.by_hand.empty()) continue;
    for (const auto& p : entry.params) {
      const Param* param = function ? function->find(p.name) : nullptr;
      if (param && p.role == Role::in && param->kind == Kind::structure) add(add, param->base);
    }
  }
  return stored;
}

void write_store(std::ostream& out, const std::string& type, const std::vector<ValueField>& fields) {
  out << "template <class To>\nconst char* store([[maybe_unused]] To& to, const " << type << "& from) {\n";
  for (const auto& f : fields) {
    if (f.hidden) continue;
    if (!f.count.empty() || f.fact->type.back() == '*')
      throw RegistryError("values/structs", type + "." + f.name + " is a list, which no setter takes");
    const std::string to = "to." + f.fact->name;
    out << "  if constexpr (requires { " << to << "; })\n"
        << "    if (!detail::give(" << to << ", from." << f.name << ")) return \"" << f.name << "\";\n";
  }
  out << "  return nullptr;\n}\n\n";
}

}  // namespace

std::string emit_value_stores(const Facts& facts, const Semantics& semantics) {
  const auto stored = stored_types(facts, semantics);
  std::ostringstream out;
  out << kBanner << "#pragma once\n\n#include <nvmlkit/generated/values.hpp>\n\n#include \"give.hpp\"\n\n"
      << "// Into the struct that a driver takes. Answers the name of a member that its field cannot hold, or null.\n\n"
      << "namespace nvmlkit::nvml {\n\n";
  for (const auto& type : semantics.values.types) {
    if (!stored.count(&type)) continue;
    for (const auto& f : type.fields)
      if (!f.hidden && !f.fact->fields.empty())
        write_store(out, type.name + "::" + camel_case(snake_case(f.fact->name)), f.members);
    if (facts.structure(type.structs.front())->is_union)
      throw RegistryError("values/structs", type.name + " is a union, of which no setter can tell what to pass on");
    write_store(out, type.name, type.fields);
  }
  out << "}  // namespace nvmlkit::nvml\n";
  return out.str();
}

}  // namespace nvmlgen
