// include/nvmlkit/generated/module_exports.inc: the exports of the module nvmlkit.nvml from the generated headers.
#include <sstream>
#include <vector>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/method.hpp"
#include "emit/bindings/text.hpp"

namespace nvmlgen {
namespace {

void write_exports(std::ostream& out, const std::string& space, const std::vector<std::string>& names) {
  out << "\nexport namespace nvmlkit::" << space << " {\n";
  for (const auto& name : names) out << "using " << space << "::" << name << ";\n";
  out << "}  // namespace nvmlkit::" << space << '\n';
}

std::vector<std::string> names_of_abi(const Facts& facts) {
  std::vector<std::string> names;
  for (const auto& handle : facts.handles) names.insert(names.end(), {tag_of(handle), handle});
  for (const auto& e : facts.enums) {
    names.push_back(e.name);
    for (const auto& value : e.values) names.push_back(value.first);
  }
  for (const auto& t : facts.typedefs) names.push_back(t.name);
  for (const auto& s : facts.structs) {
    names.push_back(s.name);
    names.insert(names.end(), s.aliases.begin(), s.aliases.end());
  }
  for (const auto& c : facts.constants)
    if (!names_a_type(facts, c.name)) names.push_back(constant_name(facts, c.name));
  names.insert(names.end(), {"version_tag", "enum_table"});
  return names;
}

std::vector<std::string> names_of_bindings(const Values& values) {
  std::vector<std::string> names = {"Errc", "FieldId", "Table", "kSymbolCount", "for_each_field"};
  for (const auto& c : binding_classes()) names.push_back(std::string(c.name) + "Methods");
  for (const auto& type : values.enums) {
    names.push_back(type.name);
    if (!type.flags.empty()) names.push_back(type.flags);
  }
  for (const auto& type : values.types) names.push_back(type.name);
  return names;
}

}  // namespace

std::string emit_module_exports(const Facts& facts, const Values& values) {
  std::ostringstream out;
  out << kBanner << "// What the module exports of the generated headers; nvmlkit.cppm includes it.\n";
  write_exports(out, "abi", names_of_abi(facts));
  write_exports(out, "nvml", names_of_bindings(values));
  return out.str();
}

}  // namespace nvmlgen
