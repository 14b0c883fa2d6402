// Value types of the bindings, their conversion from C structs, and their visitors.
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/method.hpp"
#include "emit/bindings/number_type.hpp"
#include "emit/bindings/text.hpp"
#include "registry/error.hpp"
#include "registry/names.hpp"

namespace nvmlgen {
namespace {

bool aggregate(const Field& f) { return !f.fields.empty(); }

// One entry of the field, whatever array it stands in.
std::string element_type(const Facts& facts, const Values& values, const ValueField& f) {
  std::string type = f.fact->type;
  if (type.back() == '*') type = type.substr(0, type.size() - 2);
  if (f.unit == "bool") return "bool";
  if (!f.unit.empty()) {
    const std::string unit = unit_type(f.unit);
    if (unit.empty()) throw RegistryError("values/structs", "unit '" + f.unit + "' of " + f.name + " has no type");
    return unit;
  }
  if (aggregate(*f.fact)) return camel_case(snake_case(f.fact->name));
  if (const Struct* s = facts.structure(type)) {
    const ValueType* inner = values.of(s->name);
    if (!inner && !s->is_union) throw RegistryError("values/structs", s->name + " of " + f.name + " is in no family");
    if (inner) return inner->name;
  }
  if (type == "nvmlReturn_t") return "Errc";
  return NumberType(values, "values/structs", type, f.enumeration).name();
}

std::string member_type(const Facts& facts, const Values& values, const ValueField& f) {
  std::string type = element_type(facts, values, f);
  if (f.fact->type == "char" && !f.fact->dims.empty())
    type = "std::string";
  else if (!f.count.empty())
    type = "std::vector<" + type + ">";
  else if (!f.fact->dims.empty())
    type = "std::array<" + type + ", " + std::to_string(f.fact->dims[0]) + ">";
  return f.optional || !f.absent.empty() ? "std::optional<" + type + ">" : type;
}

void write_members(std::ostream& out, const Facts& facts, const Values& values, const std::vector<ValueField>& fields,
                   const std::string& indent) {
  for (const auto& f : fields) {
    if (f.hidden) continue;
    if (!f.doc.empty()) out << indent << "/// " << f.doc << '\n';
    out << indent << member_type(facts, values, f) << ' ' << f.name << "{};\n";
  }
}

void write_walk(std::ostream& out, const std::string& type, const std::vector<ValueField>& fields) {
  out << "template <class Visitor>\nvoid for_each_field(const " << type << "& value, Visitor&& visit) {\n";
  for (const auto& f : fields)
    if (!f.hidden) out << "  visit(\"" << f.name << "\", value." << f.name << ");\n";
  out << "}\n\n";
}

void write_fill(std::ostream& out, const Facts& facts, const std::string& type, const std::vector<ValueField>& fields) {
  out << "template <class From>\nvoid fill([[maybe_unused]] " << type << "& to, [[maybe_unused]] const From& from) {\n";
  for (const auto& f : fields) {
    if (f.hidden || f.fact->type.back() == '*') continue;
    const std::string from = "from." + f.fact->name;
    std::string take = "detail::take(to." + f.name + ", " + from + ");";
    if (!f.count.empty())
      take = "detail::take_counted(to." + f.name + ", " + from + ", from." + f.count + ");";
    else if (!f.absent.empty()) {
      const auto number = facts.value(f.absent);
      take = "detail::take_unless(to." + f.name + ", " + from + ", " + (number ? std::to_string(*number) : f.absent) +
             ");";
    }
    out << "  if constexpr (requires { " << from << "; })\n    " << take << "\n  else\n    detail::lacks<From>(to."
        << f.name << ");\n";
  }
  out << "}\n\n";
}

std::vector<ValueMember> shown_members(const Facts& facts, const Values& values,
                                       const std::vector<ValueField>& fields) {
  std::vector<ValueMember> members;
  for (const auto& f : fields)
    if (!f.hidden)
      members.push_back({f.name, member_type(facts, values, f), f.doc, shown_members(facts, values, f.members)});
  return members;
}

}  // namespace

std::vector<ValueMember> value_members(const Facts& facts, const Values& values, const ValueType& type) {
  return shown_members(facts, values, type.fields);
}

std::string emit_values(const Facts& facts, const Values& values) {
  std::ostringstream out;
  out << kBanner << "#pragma once\n\n#include <array>\n#include <chrono>\n#include <nvmlkit/error.hpp>\n"
      << "#include <nvmlkit/generated/abi.hpp>\n#include <nvmlkit/generated/enums.hpp>\n#include "
         "<nvmlkit/units.hpp>\n#include <optional>\n#include <string>\n"
      << "#include <vector>\n\n// What generated methods answer with: one type per family of C structs. A member is "
         "optional where an older driver\n// does not tell it, or where NVML has a number that stands for \"not "
         "available\".\n\nnamespace nvmlkit::nvml {\n\n";
  for (const auto& type : values.types) {
    out << "/// " << type.doc << "\n/// @c " << fmt::format("{}", fmt::join(type.structs, ", ")) << "\nstruct "
        << type.name << " {\n";
    for (const auto& f : type.fields) {
      if (f.hidden || !aggregate(*f.fact)) continue;
      out << "  struct " << element_type(facts, values, f) << " {\n";
      write_members(out, facts, values, f.members, "    ");
      out << "    bool operator==(const " << element_type(facts, values, f) << "&) const = default;\n  };\n";
    }
    write_members(out, facts, values, type.fields, "  ");
    // Only its type determines the contents of a nvmlValue_t: two of them cannot be compared.
    const bool comparable = std::none_of(type.fields.begin(), type.fields.end(),
                                         [](const auto& f) { return !f.hidden && f.fact->type == "nvmlValue_t"; });
    if (comparable) out << "  bool operator==(const " << type.name << "&) const = default;\n";
    out << "};\n\n";
  }
  out << "// Calls visit(\"name\", member) for each member, in order.\n";
  for (const auto& type : values.types) {
    for (const auto& f : type.fields)
      if (!f.hidden && aggregate(*f.fact))
        write_walk(out, type.name + "::" + element_type(facts, values, f), f.members);
    write_walk(out, type.name, type.fields);
  }
  out << "}  // namespace nvmlkit::nvml\n";
  return out.str();
}

std::string emit_value_conversions(const Facts& facts, const Values& values) {
  std::ostringstream out;
  out << kBanner << "#pragma once\n\n#include <nvmlkit/generated/values.hpp>\n\n#include \"take.hpp\"\n\n"
      << "// From any layout that has the fields; a member that a layout lacks has to be optional.\n\n"
      << "namespace nvmlkit::nvml {\n\n";
  for (const auto& type : values.types) {
    for (const auto& f : type.fields)
      if (!f.hidden && aggregate(*f.fact))
        write_fill(out, facts, type.name + "::" + element_type(facts, values, f), f.members);
    write_fill(out, facts, type.name, type.fields);
  }
  out << "}  // namespace nvmlkit::nvml\n";
  return out.str();
}

std::string emit_value_list(const Facts& facts, const Values& values) {
  std::ostringstream out;
  out << kBanner << "#pragma once\n\n#include <nvmlkit/abi/legacy.hpp>\n#include <nvmlkit/generated/values.hpp>\n"
      << "#include <tuple>\n\n// What the tests go through: every value type with every layout that it is read from, "
         "and every enum, of C and scoped.\n\nnamespace nvmlkit::nvml::test {\n\ntemplate <class Value, class... "
         "Layouts>\nstruct "
         "Family "
         "{};\n\nusing AllValues = std::tuple<";
  bool first = true;
  for (const auto& type : values.types) {
    out << (first ? "\n    " : ",\n    ") << "Family<" << type.name;
    for (const auto* list : {&type.structs, &type.legacy})
      for (const auto& s : *list) out << ", abi::" << s;
    out << '>';
    first = false;
  }
  out << ">;\n\nusing AllEnums = std::tuple<";
  first = true;
  for (const auto& e : facts.enums) {
    out << (first ? "\n    " : ",\n    ") << "abi::" << e.name;
    first = false;
  }
  out << ">;\n\nusing ScopedEnums = std::tuple<";
  first = true;
  for (const auto& e : values.enums) {
    out << (first ? "\n    " : ",\n    ") << e.name;
    first = false;
  }
  out << ">;\n\n}  // namespace nvmlkit::nvml::test\n";
  return out.str();
}

}  // namespace nvmlgen
