// tests/nvml/generated/methods.cpp: every method with the C functions that it tries, for the tests that hold all of
// them to one contract.
#include <fmt/format.h>

#include <algorithm>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/method.hpp"
#include "emit/bindings/text.hpp"
#include "registry/error.hpp"

namespace nvmlgen {
namespace {

// By hand, the versions of the struct are not known; the functions are those of the family.
std::vector<Candidate> candidates_by_hand(const FunctionSemantics& entry) {
  if (entry.chain.empty()) return {{entry.name, "0"}};
  std::vector<Candidate> candidates;
  for (const auto& name : entry.chain) candidates.push_back({name, "0"});
  return candidates;
}

// A method speaks for its whole family: an older version that no value type can hold is a hole.
void refuse_untried(const Facts& facts, const FunctionSemantics& entry, const std::vector<Candidate>& tried) {
  for (const auto& macro : entry.by_hand.empty() ? entry.versions : std::vector<std::string>()) {
    const auto known = facts.struct_versions.find(macro);
    if (known == facts.struct_versions.end()) continue;
    const auto version = std::to_string(known->second.version);
    if (std::none_of(tried.begin(), tried.end(), [&](const Candidate& c) { return c.struct_version == version; }))
      throw RegistryError(entry.file + ".yaml",
                          entry.name + " never tries " + macro + ": give its struct to the family in values/structs");
  }
  for (const auto& name : entry.chain)
    if (std::none_of(tried.begin(), tried.end(), [&](const Candidate& c) { return c.function == name; }))
      throw RegistryError(entry.file + ".yaml", entry.on + "::" + entry.as + " cannot fall back to " + name +
                                                    ": give their structs one family in values/structs, say what "
                                                    "it does (older_means), or write the method by hand");
}

}  // namespace

std::string emit_methods(const Registry& r) {
  std::string candidates, rows;
  std::size_t first = 0;
  for (const auto& function : r.facts.functions) {
    if (function.library_only) continue;
    const auto& entry = r.semantics.functions.at(function.name);
    const auto method = method_for(r.facts, r.semantics, entry);
    if (!method && entry.by_hand.empty()) continue;
    const auto cpp = method ? entry.on + "::" + method->name : entry.by_hand;
    const auto tried = method ? method->candidates : candidates_by_hand(entry);
    refuse_untried(r.facts, entry, tried);
    for (const auto& candidate : tried)
      candidates += fmt::format("    {{{}, {}}},\n", nvmlgen::quoted(candidate.function), candidate.struct_version);
    rows += fmt::format("    {{{}, {{kCandidates + {}, {}}}, {}}},\n", nvmlgen::quoted(cpp), first, tried.size(),
                        method ? "&call_method<&" + cpp + ">" : "nullptr");
    first += tried.size();
  }
  return std::string(kBanner) + R"(#include "../contract/call_method.hpp"

namespace nvmlkit::nvml::test {
namespace {

constexpr Candidate kCandidates[] = {
)" + candidates +
         R"(};

constexpr Method kMethods[] = {
)" + rows +
         R"(};

}  // namespace

std::span<const Method> methods() noexcept { return kMethods; }

}  // namespace nvmlkit::nvml::test
)";
}

}  // namespace nvmlgen
