// Converts the arguments of a method to those of a C function, and its output to the result of the method.
#include "emit/bindings/body.hpp"
#include "emit/bindings/method.hpp"
#include "emit/bindings/number_type.hpp"
#include "emit/bindings/text.hpp"
#include "registry/error.hpp"
#include "registry/names.hpp"

namespace nvmlgen {
std::string quantity_type(const FunctionSemantics& function, const ParamSemantics& p) {
  const std::string type = unit_type(p.unit);
  if (type.empty()) throw RegistryError(function.name, "unit '" + p.unit + "' has no type in the bindings");
  return type;
}

std::string class_of(const std::string& native) {
  for (const auto& c : binding_classes())
    if (native == c.native && !native.empty()) return c.name;
  return "";
}

const ValueType& BodyWriter::value_type(const MethodVersion& v, const std::string& structure) const {
  const ValueType* type = values_.of(structure);
  if (!type) throw RegistryError(v.function->name, structure + " is in no family of values/structs");
  return *type;
}

// What the caller sets in a struct that goes in and out: arguments of the method, stored into the struct.
std::string BodyWriter::keys(const std::string& type, const std::string& name, const std::string& indent) {
  std::string text;
  const ValueType* value = values_.of(type);
  for (const auto& f : value ? value->fields : std::vector<ValueField>()) {
    if (!f.key) continue;
    if (const Struct* s = facts_.structure(type); s && !s->find(f.fact->name)) continue;  // of a newer version
    const bool array = !f.fact->dims.empty();
    const NumberType number(values_, type, f.fact->type, f.enumeration);
    const std::string element = f.unit.empty() ? number.name() : unit_type(f.unit);
    parameter(array ? "const std::array<" + element + ", " + std::to_string(f.fact->dims[0]) + ">&" : element, f.name);
    const std::string to = name + "." + f.fact->name;
    if (array)
      text += indent + "std::copy(" + f.name + ".begin(), " + f.name + ".end(), " + to + ");\n";
    else if (!f.unit.empty())
      text += indent + to + " = static_cast<" + f.fact->type + ">(" + f.name + ".count());\n";
    else
      text += indent + to + " = " + number.to_c(f.name) + ";\n";
  }
  return text;
}

std::string BodyWriter::version_line(const std::string& type, const std::string& name,
                                     const std::string& indent) const {
  const Struct* s = facts_.structure(type);
  if (!s || s->version_macro.empty() || !s->find("version")) return "";
  return indent + name + ".version = abi::version_tag<abi::" + s->name + ">;\n";
}

void BodyWriter::input(const MethodVersion& v, const Param& p, const ParamSemantics& s, const std::string& indent,
                       Call& call) {
  const std::string name = snake_case(p.name);
  std::string argument = name;
  if (p.type == "const char *") {
    parameter("const std::string&", name);
    argument += ".c_str()";
  } else if (p.ptr == 1 && p.kind == Kind::structure) {
    const std::string type = element(v, p), native = "native_" + name;
    parameter("const " + value_type(v, type).name + "&", name);
    call.locals += indent + "abi::" + type + ' ' + native + "{};\n" + version_line(type, native, indent);
    call.locals += indent + "if (const char* member = store(" + native + ", " + name + ")) return detail::not_held(\"" +
                   v.function->name + "\", member);\n";
    argument = "&" + native;
    if (type != canonical(facts_, p.base)) argument = "reinterpret_cast<abi::" + p.base + "*>(" + argument + ")";
  } else if (p.ptr != 0) {
    throw RegistryError(v.function->name, "'" + p.name + "' is a pointer in; the function is manual");
  } else if (const std::string object = class_of(p.base); !object.empty()) {
    parameter("const " + object + "&", name);
    argument += ".held()";
  } else if (!s.unit.empty()) {
    parameter(quantity_type(*v.semantics, s), name);
    call.locals += indent + "if (!detail::holds<" + p.base + ">(" + name +
                   ")) return Failure(Errc::invalid_argument, \"" + v.function->name + "\", \"" + name +
                   " is out of range\");\n";
    argument = "static_cast<" + p.base + ">(" + name + ".count())";
  } else {
    const NumberType number(values_, v.function->name, p.type, s.enumeration);
    parameter(number.name(), name);
    argument = number.to_c(name);
  }
  call.arguments += ", " + argument;
}

void BodyWriter::output(const MethodVersion& v, const Param& p, const ParamSemantics& s, const std::string& indent,
                        Call& call) {
  std::string name = snake_case(p.name);
  if (p.kind == Kind::structure) {
    const std::string type = element(v, p);
    if (!collecting_) name = "older";
    call.locals += indent + "abi::" + type + ' ' + name + "{};\n";
    call.locals += version_line(type, name, indent);
    if (s.role == Role::inout) call.locals += keys(type, name, indent);
    call.arguments +=
        ", " +
        (type == canonical(facts_, p.base) ? "&" + name : "reinterpret_cast<abi::" + p.base + "*>(&" + name + ")");
    const std::string value = value_type(v, type).name;
    call.outs.emplace_back(value, "detail::value_of<" + value + ">(" + name + ")");
  } else {
    call.locals += indent + abi_type(p.base) + ' ' + name + "{};\n";
    const NumberType spelled(values_, v.function->name, p.base, s.enumeration);
    std::string type = spelled.name(), value = spelled.from_c(name);
    if (const std::string object = class_of(p.base); !object.empty()) {
      type = object;
      value = object + "(session_, " + name + ")";
    } else if (!s.unit.empty()) {
      type = quantity_type(*v.semantics, s);
      value = type + "(" + name + ")";
    }
    if (!s.absent.empty()) {
      const auto number = facts_.value(s.absent);
      const std::string absent = number ? std::to_string(*number) : s.absent;
      value = name + " == static_cast<" + abi_type(p.base) + ">(" + absent + ") ? std::nullopt : std::optional<" +
              type + ">(" + value + ")";
      type = "std::optional<" + type + ">";
    }
    call.arguments += ", &" + name;
    call.outs.emplace_back(type, value);
  }
  call.out_names.push_back(name);
}

BodyWriter::Call BodyWriter::plan(const MethodVersion& v, const std::string& indent) {
  Call call;
  for (std::size_t i = 0; i < v.function->params.size(); ++i) {
    const Param& p = v.function->params[i];
    const ParamSemantics& s = *v.semantics->find(p.name);
    switch (s.role) {
      case Role::self:
        call.arguments += ", handle_";
        break;
      case Role::in:
        input(v, p, s, indent, call);
        break;
      case Role::out:
      case Role::inout:
        output(v, p, s, indent, call);
        break;
      case Role::array:
        call.arguments += ", array";
        break;
      case Role::length:
        call.arguments += ", length";
        break;
    }
  }
  return call;
}

}  // namespace nvmlgen
