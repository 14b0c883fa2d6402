// src/bindings/generated/abi_assertions.cpp: every fact about layout and value, asserted at compile time.
#include <sstream>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/text.hpp"

namespace nvmlgen {
namespace {

// Offsets of nested fields are relative to their aggregate, so sum them up; a nameless union adds no name.
void assert_fields(std::ostream& out, const Struct& s, const std::vector<Field>& fields, const std::string& path,
                   std::size_t base) {
  for (const auto& f : fields) {
    const std::string name = path + f.name;
    const std::size_t offset = base + f.offset;
    if (!f.name.empty()) {
      out << "static_assert(offsetof(" << s.name << ", " << name << ") == " << offset << ");\n";
      // Windows has 32 bits in it; only a union has such a member.
      const auto size = f.type == "unsigned long" && f.dims.empty() ? "sizeof(unsigned long)" : std::to_string(f.size);
      out << "static_assert(sizeof(" << s.name << "::" << name << ") == " << size << ");\n";
    }
    std::string inside = name.empty() ? path : name;
    for (std::size_t i = 0; i < f.dims.size(); ++i) inside += "[0]";
    assert_fields(out, s, f.fields, f.name.empty() ? path : inside + '.', offset);
  }
}

}  // namespace

std::string emit_abi_assertions(const Facts& facts) {
  std::ostringstream out;
  out << kBanner << "#include <cstddef>\n#include <string_view>\n\n#include <nvmlkit/generated/abi.hpp>\n\n"
      << "#if defined(__GNUC__)\n#pragma GCC diagnostic ignored \"-Winvalid-offsetof\"\n#pragma GCC diagnostic ignored "
         "\"-Wpedantic\"\n#endif\n\n"
      << "namespace nvmlkit::abi {\n\n";
  for (const auto& s : facts.structs) {
    out << "static_assert(sizeof(" << s.name << ") == " << s.size << ");\n";
    out << "static_assert(alignof(" << s.name << ") == " << s.align << ");\n";
    assert_fields(out, s, s.fields, "", 0);
    if (s.find("version"))
      for (const auto& [macro, value] : s.version_macro)
        out << "static_assert(version_tag<" << s.name << "> == " << value << "U);\n";
  }
  for (const auto& e : facts.enums) {
    out << "static_assert(sizeof(" << e.name << ") == sizeof(" << e.underlying << "));\n";
    for (const auto& [name, value] : e.values)
      out << "static_assert(static_cast<long long>(" << name << ") == " << value << ");\n";
  }
  for (const auto& c : facts.constants) {
    if (names_a_type(facts, c.name)) continue;
    const std::string name = constant_name(facts, c.name);
    if (c.type == "char*")
      out << "static_assert(std::string_view(" << name << ") == " << quoted(c.text) << ");\n";
    else
      out << "static_assert(" << name << " == " << literal(c) << ");\n";
  }
  for (const auto& h : facts.handles) out << "static_assert(sizeof(" << h << ") == sizeof(void*));\n";
  out << "\n}  // namespace nvmlkit::abi\n";
  return out.str();
}

}  // namespace nvmlgen
