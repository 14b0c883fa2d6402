// Names of enum values.
#include <sstream>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/text.hpp"

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

std::string emit_enumerators(const Facts& facts, const Values& values) {
  std::ostringstream out;
  out << kBanner
      << "#pragma once\n\n#include <array>\n#include <nvmlkit/generated/enums.hpp>\n#include "
         "<nvmlkit/strings.hpp>\n\nnamespace nvmlkit::nvml {\n\n"
      << "// Names and numbers of an enum, in its order; empty for any other type.\n"
      << "template <class Enum>\ninline constexpr std::array<NamedNumber, 0> enumerators{};\n\n";
  for (const auto& e : facts.enums) {
    out << "template <>\ninline constexpr std::array<NamedNumber, " << e.values.size()
        << "> enumerators<abi::" << e.name << ">{{";
    for (const auto& [name, number] : e.values) out << "\n    {\"" << name << "\", " << number << "},";
    out << "\n}};\n";
  }
  for (const auto& e : values.enums) {
    out << "template <>\ninline constexpr std::array<NamedNumber, " << e.enumerators.size() << "> enumerators<"
        << e.name << ">{{";
    for (const auto& each : e.enumerators) out << "\n    {\"" << each.name << "\", " << each.value << "},";
    out << "\n}};\n";
  }
  out << "\n}  // namespace nvmlkit::nvml\n";
  return out.str();
}

std::string emit_enum_tables(const Facts& facts, const Values& values) {
  std::ostringstream out;
  out << kBanner << "#include <nvmlkit/generated/enumerators.hpp>\n\nnamespace nvmlkit::abi {\n\n";
  for (const auto& e : facts.enums)
    out << "const nvml::EnumTable& enum_table(" << e.name << ") noexcept {\n  static constexpr nvml::EnumTable table{\""
        << common_prefix(e) << "\", nvml::enumerators<" << e.name << ">};\n  return table;\n}\n";
  out << "\n}  // namespace nvmlkit::abi\n\nnamespace nvmlkit::nvml {\n\n";
  for (const auto& e : values.enums)
    out << "const EnumTable& enum_table(" << e.name << ") noexcept {\n  static constexpr EnumTable table{\"" << e.name
        << "\", enumerators<" << e.name << ">};\n  return table;\n}\n";
  out << "\n}  // namespace nvmlkit::nvml\n";
  return out.str();
}

}  // namespace nvmlgen
