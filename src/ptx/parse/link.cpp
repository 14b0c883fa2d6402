#include "ptx/parse/link.hpp"

#include "ptx/builtins/builtins.hpp"

namespace nvmlkit::ptx {
namespace {

// What two definitions of one name are to each other.
unsigned strength(Linkage linkage) { return linkage == Linkage::visible ? 3 : linkage == Linkage::weak ? 2 : 1; }

template <class Entity>
std::uint64_t size_of_common(const Entity& entity) {
  if constexpr (requires { entity.size; })
    return entity.linkage == Linkage::common ? entity.size : 0;
  else
    return 0;
}

void give_up(Variable& v) {
  v.linkage = Linkage::external;
  v.initial.clear();
  v.relocations.clear();
}
void give_up(Function& f) {
  f.linkage = Linkage::external;
  f.is_defined = false;
}

bool is_defined(const Variable& v) { return !v.is_extern(); }
bool is_defined(const Function& f) { return f.is_defined; }

std::string place(std::uint32_t part) { return "module " + std::to_string(part + 1); }

// The names that all parts see.
template <class Entity>
class Globals {
 public:
  void define(Entity& e) {
    if (!is_defined(e) || e.linkage == Linkage::local || e.linkage == Linkage::external) return;
    const auto [at, is_new] = all_.try_emplace(e.name, &e);
    if (is_new) return;
    auto& known = *at->second;
    if (known.linkage == Linkage::visible && e.linkage == Linkage::visible)
      throw Error{e.line, "'" + e.name + "' is defined twice, in " + place(known.part) + " and in " + place(e.part) +
                              " of what is linked"};
    const bool wins = strength(e.linkage) != strength(known.linkage) ? strength(e.linkage) > strength(known.linkage)
                                                                     : size_of_common(e) > size_of_common(known);
    auto& winner = wins ? e : known;
    auto& loser = wins ? known : e;
    at->second = &winner;
    loser.definition = &winner;
    give_up(loser);
  }
  Entity* find(std::string_view name) const {
    const auto at = all_.find(name);
    return at == all_.end() ? nullptr : at->second;
  }
  void name(std::string_view name, Entity& e) { all_.try_emplace(name, &e); }
  const auto& all() const { return all_; }

 private:
  std::unordered_map<std::string_view, Entity*> all_;
};

template <class Entity>
Entity* find(const std::unordered_map<std::string_view, Entity*>& names, std::string_view name) {
  const auto at = names.find(name);
  return at == names.end() ? nullptr : at->second;
}

template <class Entity>
void declare(Entity& e, const std::unordered_map<std::string_view, Entity*>& own, const Globals<Entity>& globals) {
  if (is_defined(e) || e.definition) return;
  auto* known = find(own, e.name);
  if (!known || known == &e || !is_defined(*known)) known = globals.find(e.name);
  if (known != &e) e.definition = known;
}

void resolve_aliases(Source& source, Globals<Function>& functions) {
  for (auto& names : source.parts)
    for (const auto& [name, of, line] : names.aliases) {
      auto* const alias = find(names.functions, name);
      auto* const function = find(names.functions, of);
      if (!alias || alias->is_defined || alias->definition)
        throw Error{line, ".alias " + std::string(name) + ": it must be a function that is declared and has no body"};
      if (!function || (!function->is_defined && !function->definition))
        throw Error{line, ".alias " + std::string(name) + ": " + std::string(of) + " has no body"};
      alias->definition = function;
      if (alias->linkage != Linkage::local) functions.name(alias->name, *function);
    }
}

void resolve_initial_values(Variable& v, const Names& names, const Globals<Variable>& variables,
                            const Globals<Function>& functions) {
  for (auto& r : v.relocations) {
    const Variable* variable = find(names.variables, r.symbol);
    const Function* function = find(names.functions, r.symbol);
    if (!variable && !function) {
      variable = variables.find(r.symbol);
      function = functions.find(r.symbol);
    }
    if (variable) r.variable = definition_of(*variable);
    if (function && !variable) r.function = definition_of(*function);
    if (!r.variable && !r.function && builtin_named(r.symbol) < 0)
      throw Error{v.line, "the initial value of " + v.name + ": no linked module defines '" + r.symbol + "'"};
  }
}

}  // namespace

std::string join(std::span<const std::string> modules) {
  std::string out;
  for (const auto& text : modules) {
    if (!out.empty()) out += '\f';
    (out += text) += '\n';
  }
  return out;
}

const Variable* definition_of(const Variable& variable) {
  const auto* v = &variable;
  while (v->definition) v = v->definition;
  return v->is_extern() && v->space != Space::shared ? nullptr : v;
}

const Function* definition_of(const Function& function) {
  const auto* f = &function;
  while (f->definition) f = f->definition;
  return f->is_defined ? f : nullptr;
}

void resolve(Source& source) {
  auto& module = *source.module;
  Globals<Variable> variables;
  Globals<Function> functions;
  for (auto& v : module.variables) variables.define(v);
  for (auto& f : module.functions) functions.define(f);
  resolve_aliases(source, functions);
  for (auto& v : module.variables) declare(v, source.parts[v.part].variables, variables);
  for (auto& f : module.functions) declare(f, source.parts[f.part].functions, functions);
  for (auto& v : module.variables) resolve_initial_values(v, source.parts[v.part], variables, functions);
  // What kernels of a second weak definition had for themselves needs no room.
  for (auto& body : source.bodies)
    if (!body.function->is_defined)
      for (auto* const v : body.shared) v->size = 0;
  for (auto& [function, deferred] : source.deferred)
    if (!function->is_defined)
      for (auto* const v : deferred.variables)
        if (v->space == Space::shared) v->size = 0;

  for (const auto& [name, v] : variables.all()) module.variable_named[name] = v;
  for (const auto& [name, f] : functions.all()) module.function_named[name] = f;
  for (auto& names : source.parts) {
    for (const auto& [name, v] : names.variables)
      if (is_defined(*v)) module.variable_named.try_emplace(name, v);
    for (const auto& [name, f] : names.functions)
      if (is_defined(*f)) module.function_named.try_emplace(name, f);
  }
}

}  // namespace nvmlkit::ptx
