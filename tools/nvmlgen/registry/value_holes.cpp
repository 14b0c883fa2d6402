// Holes between functions and value types.
#include <algorithm>
#include <set>

#include "registry/error.hpp"
#include "registry/holes.hpp"

namespace nvmlgen {
namespace {

bool answers_with_structs(Protocol call) {
  switch (call) {
    case Protocol::scalar:
    case Protocol::structure:
    case Protocol::count_probe:
    case Protocol::count_zero_ok:
    case Protocol::count_known:
    case Protocol::fixed_array:
    case Protocol::struct_array:
      return true;
    default:
      return false;
  }
}

// The struct that a type spells, without pointer; empty for everything else.
std::string struct_of(const Facts& facts, std::string type) {
  if (!type.empty() && type.back() == '*') type = type.substr(0, type.size() - 2);
  const Struct* s = facts.structure(type);
  return s ? s->name : "";
}

// What users see and nothing explains.
std::vector<std::string> without_doc(const std::vector<ValueField>& fields) {
  std::vector<std::string> names;
  for (const auto& f : fields) {
    if (f.hidden) continue;
    if (f.doc.empty()) names.push_back(f.name);
    for (const auto& inner : without_doc(f.members)) names.push_back(f.name + "." + inner);
  }
  return names;
}

}  // namespace

void refuse_value_holes(const Facts& facts, const Semantics& semantics) {
  std::string holes;
  std::set<const ValueType*> used;
  for (const auto& [name, entry] : semantics.functions) {
    if (!entry.provisional.empty()) continue;  // no method, no value
    const Function* function = facts.function(name);
    bool answers = false;
    for (const auto& p : entry.params) {
      const Param* param = function ? function->find(p.name) : nullptr;
      if (!param || p.role == Role::self) continue;
      const std::string s = struct_of(facts, param->base);
      if (s.empty()) continue;
      const ValueType* type = semantics.values.of(s);
      if (type) used.insert(type);
      if (p.role == Role::in) continue;  // the emitter of its method refuses what is in no family
      answers = true;
      if (!type && answers_with_structs(entry.call))
        holes += "\n  " + name + ": answers with " + s + ", which is in no family of values/structs";
    }
    if (!answers) continue;
    for (const auto& macro : entry.versions)
      if (const auto it = facts.struct_versions.find(macro); it != facts.struct_versions.end())
        used.insert(semantics.values.of(struct_of(facts, it->second.structure)));
  }
  // Families are sorted: what holds another stands behind it.
  const auto& types = semantics.values.types;
  for (auto type = types.rbegin(); type != types.rend(); ++type) {
    if (!used.count(&*type)) holes += "\n  " + type->name + ": a value type that no function answers with or takes";
    for (const auto& name : without_doc(type->fields)) holes += "\n  " + type->name + "." + name + ": has no doc";
    for (const auto& f : type->fields) used.insert(semantics.values.of(struct_of(facts, f.fact->type)));
  }
  if (!holes.empty()) throw RegistryError("registry", "value types with a hole:" + holes);
}

}  // namespace nvmlgen
