// include/nvmlkit/generated/enums.hpp: scoped enums and sets of flags.
#include <sstream>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/text.hpp"
#include "registry/names.hpp"

namespace nvmlgen {
namespace {

void write_enum(std::ostream& out, const EnumType& type) {
  out << "/// " << type.doc << '\n';
  if (!type.c_type.empty()) out << "/// @c " << type.c_type << '\n';
  out << "enum class " << type.name << " : " << type.integer << " {\n";
  for (const auto& each : type.enumerators) {
    out << "  " << identifier(each.name) << " = " << enumerator_number(type, each) << ',';
    if (!each.constant.empty()) out << "  // " << each.constant;
    out << '\n';
  }
  out << "};\nconst EnumTable& enum_table(" << type.name << ") noexcept;\n";
  if (!type.flags.empty())
    out << "template <>\ninline constexpr bool is_flag<" << type.name << "> = true;\nusing " << type.flags
        << " = Flags<" << type.name << ">;\n";
  const std::string c_type = type.c_type.empty() ? type.integer : "abi::" + type.c_type;
  out << "constexpr " << c_type << " to_abi(" << (type.flags.empty() ? type.name : type.flags)
      << " value) noexcept { return static_cast<" << c_type << ">(value" << (type.flags.empty() ? "" : ".bits()")
      << "); }\n\n";
}

}  // namespace

std::string emit_enums(const Values& values) {
  std::ostringstream out;
  out << kBanner << "#pragma once\n\n#include <nvmlkit/flags.hpp>\n#include <nvmlkit/generated/abi.hpp>\n\n"
      << "// What methods take and answer in place of the enums and constants of C. A number that a newer driver "
         "brings "
         "stays\n// what it is: static_cast to the underlying type shows it, and to_string() as \"Brand(77)\". "
         "to_abi() "
         "and a cast\n// lead to the C spelling and back: to_abi(Clock::sm), Clock(abi::NVML_CLOCK_SM).\n\n"
      << "namespace nvmlkit::nvml {\n\n";
  for (const auto& type : values.enums) write_enum(out, type);
  out << "}  // namespace nvmlkit::nvml\n";
  return out.str();
}

}  // namespace nvmlgen
