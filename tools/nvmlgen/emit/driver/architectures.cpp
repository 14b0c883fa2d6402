// src/sim/generated/architecture_traits.hpp
#include <fmt/format.h>

#include "emit/driver/emitters.hpp"
#include "emit/text/banner.hpp"

namespace nvmlgen {
namespace {

std::string chip_name(const std::string& name) {
  std::string out = "k" + name;
  out[1] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[1])));
  return out;
}

// The name of an array of chips, which is emitted; {} for none.
std::string chips(std::string& out, const std::string& prefix, const Trait& trait,
                  const std::vector<std::string>& names) {
  if (names.empty()) return "{}";
  const auto array = prefix + trait.name;
  out += fmt::format("inline constexpr Chip {}[] = {{", array);
  for (std::size_t i = 0; i < names.size(); ++i) out += (i == 0 ? "" : ", ") + chip_name(names[i]);
  out += "};\n";
  return array;
}

}  // namespace

std::string emit_architecture_traits(const Registry& registry) {
  std::string out = kBanner;
  out += R"(// What a GPU has by its architecture; see traits/architecture.hpp.
#pragma once

#include <cstdint>
#include <span>

namespace nvmlkit::sim {

enum class Trait : std::uint8_t {
)";
  for (const auto& trait : registry.architectures.traits) out += fmt::format("  {},  // {}\n", trait.name, trait.doc);
  out += R"(};

namespace traits {

struct Chip {
  std::uint32_t architecture, major, minor;  // compute capability
};

// By Trait.
struct Rule {
  std::uint32_t from;  // the first architecture
  std::span<const Chip> also, without;
};

)";
  for (const auto& chip : registry.architectures.chips)
    out += fmt::format("inline constexpr Chip {}{{{}u, {}u, {}u}};\n", chip_name(chip.name), chip.architecture,
                       chip.major, chip.minor);
  std::string rows;
  for (const auto& trait : registry.architectures.traits) {
    const auto also = chips(out, "kAlso_", trait, trait.also), without = chips(out, "kWithout_", trait, trait.without);
    rows += fmt::format("    {{{}u, {}, {}}},  // {}\n", trait.from, also, without, trait.name);
  }
  return out + "\ninline constexpr Rule kRules[] = {\n" + rows +
         "};\n\n}  // namespace traits\n}  // namespace nvmlkit::sim\n";
}

}  // namespace nvmlgen
