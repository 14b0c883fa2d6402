// The generated bases of the classes: include/nvmlkit/generated/<class>_methods.hpp and the .cpp beside the library.
#include <map>
#include <set>
#include <sstream>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/method.hpp"
#include "emit/bindings/text.hpp"
#include "registry/error.hpp"
#include "registry/names.hpp"

namespace nvmlgen {
namespace {

// In the order of the header, which keeps families together.
std::vector<Method> methods_of(const Facts& facts, const Semantics& semantics, const std::string& class_name) {
  std::vector<Method> methods;
  std::set<std::string> names;
  for (const auto& function : facts.functions) {
    const auto entry = semantics.functions.find(function.name);
    if (entry == semantics.functions.end() || entry->second.on != class_name) continue;
    auto method = method_for(facts, semantics, entry->second);
    if (!method) continue;
    if (!names.insert(method->name).second)
      throw RegistryError(function.name, class_name + "::" + method->name + " is there already");
    methods.push_back(std::move(*method));
  }
  return methods;
}

void write_class_open(std::ostream& out, const BindingClass& c) {
  const std::string name = std::string(c.name) + "Methods";
  if (*c.native) {
    out << "class " << name << " : public Object<abi::" << c.native << "> {\n public:\n  using Object::Object;\n\n";
  } else {
    out << "class " << name << " {\n public:\n";
  }
}

void write_class_close(std::ostream& out, const BindingClass& c) {
  if (!*c.native)
    out << "\n protected:\n  explicit " << c.name
        << "Methods(SessionPtr session) noexcept : session_(std::move(session)) {}\n"
        << "  SessionPtr session_;\n";
  out << "};\n";
}

std::string indented(const std::string& lines) {
  std::string out = "  ";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += lines[i];
    if (lines[i] == '\n' && i + 1 < lines.size()) out += "  ";
  }
  return out;
}

}  // namespace

std::vector<GeneratedClass> emit_classes(const Facts& facts, const Semantics& semantics) {
  std::vector<GeneratedClass> files;
  for (const auto& c : binding_classes()) {
    const auto methods = methods_of(facts, semantics, c.name);
    const std::string base = std::string(c.name) + "Methods";
    const std::string file = snake_case(base);
    std::ostringstream header, source;
    header << kBanner
           << "#pragma once\n\n#include <algorithm>\n#include <array>\n#include "
              "<nvmlkit/generated/enums.hpp>\n#include <nvmlkit/generated/values.hpp>\n#include <nvmlkit/handle.hpp>\n"
           << "#include <nvmlkit/units.hpp>\n#include <optional>\n#include <string>\n#include <vector>\n\n"
           << "namespace nvmlkit::nvml {\n\n";
    for (const auto& other : binding_classes()) header << "class " << other.name << ";\n";
    header << "\n// The calls of " << c.name << " that are regular in C.\n";
    write_class_open(header, c);
    source << kBanner
           << "#include <nvmlkit/device.hpp>\n#include <nvmlkit/library.hpp>\n#include <nvmlkit/objects.hpp>\n\n"
           << "#include \"conversions.hpp\"\n\nnamespace nvmlkit::nvml {\n\nusing detail::call;\nusing "
              "detail::Outcome;\n\n";
    bool first = true;
    for (const auto& m : methods) {
      header << (first ? "" : "\n") << m.nested << m.doc << "  Result<" << m.answer << "> " << m.name << '('
             << m.parameters << ") const";
      first = false;
      if (m.inlined) {
        header << " {\n" << indented(m.body) << "  }\n";
        continue;
      }
      header << ";\n";
      source << "auto " << base << "::" << m.name << '(' << m.arguments << ") const -> Result<" << m.answer << "> {\n"
             << m.body << "}\n\n";
    }
    write_class_close(header, c);
    for (const auto& m : methods) {
      if (m.nested_fields.empty()) continue;
      header << "\ntemplate <class Visitor>\nvoid for_each_field(const " << base << "::" << m.answer
             << "& value, Visitor&& visit) {\n";
      for (const auto& field : m.nested_fields) header << "  visit(\"" << field << "\", value." << field << ");\n";
      header << "}\n";
    }
    header << "\n}  // namespace nvmlkit::nvml\n";
    source << "}  // namespace nvmlkit::nvml\n";
    files.push_back({file, header.str(), source.str()});
  }
  return files;
}

}  // namespace nvmlgen
