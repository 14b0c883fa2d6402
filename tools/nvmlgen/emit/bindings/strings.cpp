// Names of enum values and of the bits of masks.
#include <algorithm>
#include <set>
#include <sstream>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/text.hpp"
#include "registry/error.hpp"

namespace nvmlgen {
namespace {

// What all names begin with, up to an underscore: "NVML_BRAND".
std::string common_prefix(const Enum& e) {
  std::string prefix = e.values.empty() ? e.name : e.values.front().first;
  for (const auto& [name, number] : e.values) {
    std::size_t same = 0;
    while (same < prefix.size() && same < name.size() && prefix[same] == name[same]) ++same;
    prefix.resize(same);
  }
  const auto end = prefix.rfind('_');
  return end == std::string::npos || end <= 4 ? e.name : prefix.substr(0, end);
}

struct Bit {
  std::string name;
  std::int64_t value;
};

// Constants with one bit, without the prefix; the first name of a bit counts.
std::vector<Bit> bits_of(const Facts& facts, const MaskType& mask) {
  std::vector<Bit> bits;
  std::set<std::int64_t> seen;
  for (const auto& prefix : mask.prefixes)
    for (const auto& c : facts.constants) {
      const auto value = static_cast<std::uint64_t>(c.number);
      if (c.name.rfind(prefix, 0) != 0 || c.type == "int" || value == 0 || (value & (value - 1)) != 0) continue;
      const std::string name = c.name.substr(prefix.size());
      if (name != "All" && seen.insert(c.number).second) bits.push_back({name, c.number});
    }
  std::sort(bits.begin(), bits.end(), [](const Bit& a, const Bit& b) { return a.value < b.value; });
  if (bits.size() < 2) throw RegistryError("masks.yaml", mask.name + " has no bits");
  return bits;
}

}  // namespace

std::string emit_enum_names(const Facts& facts) {
  std::ostringstream out;
  out << kBanner << "#pragma once\n\n#include <nvmlkit/generated/abi.hpp>\n\n"
      << "namespace nvmlkit::nvml {\nstruct EnumTable;\n}\n\n"
      << "// The names of each enum, for nvmlkit/strings.hpp.\nnamespace nvmlkit::abi {\n\n";
  for (const auto& e : facts.enums) out << "const nvml::EnumTable& enum_table(" << e.name << ") noexcept;\n";
  out << "\n}  // namespace nvmlkit::abi\n";
  return out.str();
}

std::string emit_enumerators(const Facts& facts) {
  std::ostringstream out;
  out << kBanner << "#pragma once\n\n#include <array>\n#include <nvmlkit/strings.hpp>\n\nnamespace nvmlkit::nvml {\n\n"
      << "// Names and numbers of an enum of the C API, in its order; empty for any other type.\n"
      << "template <class Enum>\ninline constexpr std::array<NamedNumber, 0> enumerators{};\n\n";
  for (const auto& e : facts.enums) {
    out << "template <>\ninline constexpr std::array<NamedNumber, " << e.values.size()
        << "> enumerators<abi::" << e.name << ">{{";
    for (const auto& [name, number] : e.values) out << "\n    {\"" << name << "\", " << number << "},";
    out << "\n}};\n";
  }
  out << "\n}  // namespace nvmlkit::nvml\n";
  return out.str();
}

std::string emit_enum_tables(const Facts& facts) {
  std::ostringstream out;
  out << kBanner << "#include <nvmlkit/generated/enumerators.hpp>\n\nnamespace nvmlkit::abi {\n\n";
  for (const auto& e : facts.enums)
    out << "const nvml::EnumTable& enum_table(" << e.name << ") noexcept {\n  static constexpr nvml::EnumTable table{\""
        << common_prefix(e) << "\", nvml::enumerators<" << e.name << ">};\n  return table;\n}\n";
  out << "\n}  // namespace nvmlkit::abi\n";
  return out.str();
}

std::string emit_masks(const Facts& facts, const Values& values) {
  std::ostringstream out;
  out << kBanner << "#pragma once\n\n#include <nvmlkit/mask.hpp>\n\nnamespace nvmlkit::nvml {\n";
  for (const auto& mask : values.masks) {
    out << "\nstruct " << mask.name << "Bits;\n/// " << mask.doc << "\nusing " << mask.name << " = Mask<" << mask.name
        << "Bits>;\nstruct " << mask.name << "Bits {\n";
    for (const auto& bit : bits_of(facts, mask))
      out << "  static constexpr unsigned long long " << bit.name << " = " << bit.value << ";\n";
    out << "  static std::span<const NamedNumber> names() noexcept;\n};\n";
  }
  out << "\n}  // namespace nvmlkit::nvml\n";
  return out.str();
}

std::string emit_mask_tables(const Facts& facts, const Values& values) {
  std::ostringstream out;
  out << kBanner << "#include <nvmlkit/generated/masks.hpp>\n\nnamespace nvmlkit::nvml {\n\n";
  for (const auto& mask : values.masks) {
    out << "std::span<const NamedNumber> " << mask.name << "Bits::names() noexcept {\n"
        << "  static constexpr NamedNumber names[] = {";
    for (const auto& bit : bits_of(facts, mask)) out << "\n      {\"" << bit.name << "\", " << bit.value << "},";
    out << "\n  };\n  return names;\n}\n\n";
  }
  out << "}  // namespace nvmlkit::nvml\n";
  return out.str();
}

}  // namespace nvmlgen
