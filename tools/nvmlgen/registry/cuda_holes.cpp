#include "registry/cuda_holes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "registry/error.hpp"
#include "registry/model.hpp"

namespace nvmlgen::cuda {
namespace {

using Holes = std::vector<std::string>;

void functions(const Registry& r, Holes& holes) {
  std::set<std::string> bases;
  for (const auto& f : r.functions) bases.insert(f.base());
  for (const auto& base : bases)
    if (!r.semantics.count(base)) holes.push_back(base + ": no semantics");
  for (const auto& [name, s] : r.semantics)
    if (!bases.count(name)) holes.push_back(fmt::format("{}: in {}.yaml, but no driver exports it", name, s.subject));
  for (const auto& f : r.functions) {
    if (!f.stream.empty() || !r.semantics.count(f.name)) continue;
    for (const auto& optional : r.semantics.at(f.name).optional) {
      const auto is = [&](const Param& p) { return p.name == optional && p.is_pointer(); };
      if (std::none_of(f.params.begin(), f.params.end(), is))
        holes.push_back(fmt::format("{}: {} is no pointer of it", f.name, optional));
    }
  }
}

void entry_points(const Registry& r, Holes& holes) {
  std::set<std::string> reached;
  for (const auto& [name, choices] : r.entry_points)
    for (const auto& choice : choices) reached.insert(choice.symbol);
  for (const auto& f : r.functions)
    if (f.declared && !reached.count(f.name)) holes.push_back(f.name + ": cuGetProcAddress cannot reach it");
}

void attributes(const Registry& r, const Model& model, Holes& holes) {
  for (const auto& a : r.attributes) {
    const int answers =
        a.value.has_value() + !a.field.empty() + !a.by_capability.empty() + !a.code.empty() + !a.later.empty();
    if (answers != 1) holes.push_back(fmt::format("{}: {} answers", a.name, answers));
    if (!a.field.empty() && !model.find(a.field))
      holes.push_back(fmt::format("{}: {} is no field of the model", a.name, a.field));
  }
}

void errors(const Registry& r, Holes& holes) {
  const auto& known = r.enumeration("CUresult").values;
  for (const auto& error : r.errors)
    if (std::none_of(known.begin(), known.end(), [&](const auto& e) { return e.first == error.first; }))
      holes.push_back(error.first + ": is no CUresult");
}

}  // namespace

void refuse_holes(const Registry& registry, const Model& model) {
  Holes holes;
  functions(registry, holes);
  entry_points(registry, holes);
  attributes(registry, model, holes);
  errors(registry, holes);
  if (!holes.empty())
    throw RegistryError("registry/cuda", fmt::format("{} holes:\n  {}", holes.size(), fmt::join(holes, "\n  ")));
}

}  // namespace nvmlgen::cuda
