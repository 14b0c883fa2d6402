// tests/nvml/generated/callable.cpp: where each C function is reached in the bindings. That it compiles is half the
// test.
#include <fmt/format.h>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/method.hpp"
#include "emit/bindings/text.hpp"
#include "registry/error.hpp"

namespace nvmlgen {
namespace {

// A declaration that compiles only when the name is there.
std::string proof(const std::string& cpp, std::size_t number) {
  const auto colons = cpp.find("::");
  if (colons == std::string::npos) return fmt::format("using nvml::{};\n", cpp);
  const auto type = cpp.substr(0, colons);
  if (cpp[colons + 2] == '~')
    return fmt::format(
        "static_assert(std::is_nothrow_destructible_v<{0}> && !std::is_trivially_destructible_v<{0}>);\n", type);
  return fmt::format("struct Reach{} : nvml::{} {{ using {}; }};\n", number, type, cpp);
}

// From the generator or by hand.
std::string own_method(const Registry& r, const FunctionSemantics& entry) {
  const auto method = method_for(r.facts, r.semantics, entry);
  return method ? entry.on + "::" + method->name : entry.by_hand;
}

}  // namespace

std::string method_of(const Registry& r, const FunctionSemantics& entry) {
  const std::string own = own_method(r, entry);
  if (!own.empty() || entry.chained_by.empty()) return own;
  return own_method(r, r.semantics.functions.at(entry.chained_by));
}

std::string emit_callable(const Registry& r) {
  std::string proofs, rows, holes;
  std::size_t number = 0;
  for (const auto& function : r.facts.functions) {
    const auto& entry = r.semantics.functions.at(function.name);
    if (function.library_only || !entry.provisional.empty()) continue;
    const auto cpp = method_of(r, entry);
    const bool own = !own_method(r, entry).empty();
    const std::string via = own ? "" : entry.chained_by;
    if (own) proofs += proof(cpp, ++number);
    if (cpp.empty()) holes += "\n  " + function.name;
    rows += fmt::format("    {{{}, {}, {}}},\n", nvmlgen::quoted(function.name), nvmlgen::quoted(cpp),
                        nvmlgen::quoted(via));
  }
  if (!holes.empty()) throw RegistryError("by_hand.yaml", "functions without a method, generated or by hand:" + holes);
  return std::string(kBanner) + R"(#include "../callable.hpp"

#include <nvmlkit/nvml.hpp>
#include <type_traits>

namespace nvmlkit::nvml::test {
namespace {

)" + proofs +
         R"(
constexpr Callable kCallables[] = {
)" + rows +
         R"(};

}  // namespace

std::span<const Callable> callables() noexcept { return kCallables; }

}  // namespace nvmlkit::nvml::test
)";
}

}  // namespace nvmlgen
