#include <fmt/format.h>

#include "emit/driver/emitters.hpp"
#include "emit/driver/text.hpp"

namespace nvmlgen {

std::string emit_known_values(const Registry& registry) {
  std::string out = kBanner;
  out += R"(// Which values an enum argument may have.
#pragma once

#include "nvmlkit/generated/abi.hpp"

namespace nvmlkit::abi {

)";
  for (const auto& enumeration : registry.facts.enums) {
    bool used = false;
    for (const auto& function : registry.facts.functions)
      for (const auto& p : function.params) used |= p.ptr == 0 && p.base == enumeration.name;
    if (!used || enumeration.name == "nvmlReturn_t") continue;
    out += fmt::format("constexpr bool is_known({} value) {{\n  switch (static_cast<long long>(value)) {{\n",
                       enumeration.name);
    for (const auto& [name, value] : real_values(enumeration)) out += fmt::format("    case {}:\n", name);
    out += "      return true;\n    default:\n      return false;\n  }\n}\n\n";
  }
  out += "}  // namespace nvmlkit::abi\n";
  return out;
}

}  // namespace nvmlgen
