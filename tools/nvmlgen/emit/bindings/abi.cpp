// include/nvmlkit/generated/abi.hpp: the types and values of the C API, inside a namespace.
#include <set>
#include <sstream>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/text.hpp"
#include "registry/error.hpp"

namespace nvmlgen {
namespace {

void write_field(std::ostream& out, const Field& f, const std::string& indent) {
  out << indent;
  if (f.type == "struct{}" || f.type == "union{}") {
    out << (f.type == "union{}" ? "union {\n" : "struct {\n");
    for (const auto& nested : f.fields) write_field(out, nested, indent + "  ");
    out << indent << '}';
    if (!f.name.empty()) out << ' ' << f.name;
  } else {
    out << f.type << (f.type.back() == '*' ? "" : " ") << f.name;
  }
  for (const auto dim : f.dims) out << '[' << dim << ']';
  out << ";\n";
}

void write_constants(std::ostream& out, const Facts& facts) {
  std::set<std::string> seen;
  for (const auto& c : facts.constants) {
    if (names_a_type(facts, c.name)) continue;
    const std::string name = constant_name(facts, c.name);
    if (!seen.insert(name).second) throw RegistryError("constants.json", "two constants become '" + name + "'");
    out << "inline constexpr " << constant_type(c) << ' ' << name << " = " << literal(c) << ";\n";
  }
}

void write_version_tags(std::ostream& out, const Facts& facts) {
  for (const auto& s : facts.structs) {
    if (!s.find("version")) continue;
    for (const auto& [macro, value] : s.version_macro)
      out << "template <>\ninline constexpr unsigned int version_tag<" << s.name << "> = 0x" << std::hex << value
          << std::dec << "U;\n";
  }
}

}  // namespace

std::string emit_abi(const Facts& facts) {
  std::ostringstream out;
  out << kBanner << "//\n"
      << "// The types and values of NVIDIA's nvml.h " << facts.newest_header
      << ", inside nvmlkit::abi. It may stand beside\n"
      << "// nvml.h in one translation unit, in any order: names that are macros there are spelled otherwise here.\n"
      << "// A #define constant loses its prefix (NVML_FI_MAX -> FI_MAX, nvmlFlagForce -> FlagForce); where no prefix "
         "can\n"
      << "// be lost, it gets one (MAX_CLK_DOMAINS -> k_MAX_CLK_DOMAINS).\n"
      << "#pragma once\n\nnamespace nvmlkit::abi {\n\n// Opaque handles.\n";
  for (const auto& h : facts.handles) out << "struct " << tag_of(h) << ";\nusing " << h << " = " << tag_of(h) << "*;\n";

  out << "\n// Every value of the underlying type is a value of the enum: codes of newer drivers round-trip.\n";
  for (const auto& e : facts.enums) {
    out << "enum " << e.name << " : " << e.underlying << " {\n";
    for (const auto& [name, value] : e.values)
      out << "  " << name << " = " << value << (value > 0x7fffffff ? "U" : "") << ",\n";
    out << "};\n\n";
  }
  for (const auto& t : facts.typedefs) out << "using " << t.name << " = " << t.type << ";\n";

  out << '\n';
  for (const auto& s : facts.structs) {
    out << (s.is_union ? "union " : "struct ") << s.name << " {\n";
    for (const auto& f : s.fields) write_field(out, f, "  ");
    out << "};\n";
    for (const auto& alias : s.aliases) out << "using " << alias << " = " << s.name << ";\n";
    out << '\n';
  }
  out << "// Constants.\n";
  write_constants(out, facts);
  out << "\n// What the caller writes into the `version` field of a struct. 0: the struct has none, or the driver "
         "writes it.\n"
      << "template <class T>\ninline constexpr unsigned int version_tag = 0;\n";
  write_version_tags(out, facts);
  out << "\n}  // namespace nvmlkit::abi\n";
  return out.str();
}

}  // namespace nvmlgen
