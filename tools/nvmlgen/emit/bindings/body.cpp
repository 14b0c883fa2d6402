#include "emit/bindings/body.hpp"

#include "emit/bindings/text.hpp"
#include "registry/error.hpp"
#include "registry/names.hpp"

namespace nvmlgen {

std::string table_member(const MethodVersion& version) { return "&Table::" + version.function->stem(); }

// "outcome.ok()", or the codes beside it that are answers too.
std::string BodyWriter::success_test(const MethodVersion& v) const {
  std::string test = "!outcome.ok()";
  for (const auto& code : v.semantics->success)
    if (code != "NVML_SUCCESS") test += " && outcome.code != Errc::" + lower_without("NVML_ERROR_", code);
  return test;
}

std::string BodyWriter::plain(const MethodVersion& v, const std::string& indent) {
  const Call call = plan(v, indent);
  std::string text = call.locals + indent + "const detail::Outcome outcome = detail::call(*session_, " +
                     table_member(v) + call.arguments + ");\n" + indent + "if (" + success_test(v) +
                     ") return outcome.failure();\n";
  if (call.outs.empty()) {
    if (collecting_) answer = "void";
    return text + indent + "return {};\n";
  }
  if (call.outs.size() == 1) {
    if (collecting_) answer = call.outs[0].first;
    // A struct is filled where the result stands, not copied there.
    const std::string value = "detail::value_of<" + answer + ">(";
    std::string result = call.outs[0].second;
    if (result.rfind(value, 0) == 0) result.replace(0, value.size(), "detail::answer_of<" + answer + ">(");
    return text + indent + "return " + result + ";\n";
  }
  if (collecting_) {
    answer = camel_case(newest_.as);
    nested = "  struct " + answer + " {\n";
    for (std::size_t i = 0; i < call.outs.size(); ++i)
      nested += "    " + call.outs[i].first + ' ' + call.out_names[i] + ";\n";
    nested += "  };\n";
    nested_fields = call.out_names;
  }
  text += indent + "return " + answer + "{";
  for (std::size_t i = 0; i < call.outs.size(); ++i) text += (i ? ", " : "") + call.outs[i].second;
  return text + "};\n";
}

std::string BodyWriter::string(const MethodVersion& v, const std::string& indent) {
  const Call call = plan(v, indent);
  if (collecting_) answer = "std::string";
  const bool inout = v.semantics->call == Protocol::string_inout;
  std::string capacity = "96";
  for (const auto& p : v.semantics->params)
    if (!p.capacity.empty())
      capacity = facts_.value(p.capacity) ? "abi::" + constant_name(facts_, p.capacity) : p.capacity;
  return call.locals + indent + "return detail::read_string" + (inout ? "_inout" : "") + "(" + capacity +
         ", [&](char* array, unsigned int" + (inout ? "*" : "") + " length) { return detail::call(*session_, " +
         table_member(v) + call.arguments + "); });\n";
}

std::string BodyWriter::list(const MethodVersion& v, const std::string& indent) {
  const Call call = plan(v, indent);
  const Param* array = nullptr;
  const ParamSemantics* meaning = nullptr;
  for (const auto& p : v.semantics->params)
    if (p.role == Role::array) meaning = &p, array = v.function->find(p.name);
  if (!array) throw RegistryError(v.function->name, "a list without an array");
  const bool structure = array->kind == Kind::structure;
  const std::string native = structure ? "abi::" + element(v, *array) : abi_type(array->base);
  std::string type = structure ? value_type(v, element(v, *array)).name : native;
  if (const std::string object = class_of(array->base); !object.empty())
    type = object;
  else if (!meaning->unit.empty())
    type = quantity_type(*v.semantics, *meaning);

  const Protocol protocol = v.semantics->call;
  const bool fixed = protocol == Protocol::fixed_array;
  if (fixed) parameter("std::size_t", "size");
  const std::string helper = fixed ? "read_fixed" : protocol == Protocol::count_known ? "read_known" : "read_list";
  std::string read = "detail::" + helper + "<" + native + ">(" + (fixed ? "size, " : "") + "[&](unsigned int" +
                     (fixed ? "" : "*") + " length, " + native + "* array) { return detail::call(*session_, " +
                     table_member(v) + call.arguments + "); })";
  if (collecting_) answer = "std::vector<" + type + ">";
  if (structure) return call.locals + indent + "return detail::value_list<" + type + ">(" + read + ");\n";
  if (type == native) return call.locals + indent + "return " + read + ";\n";
  const bool object = !class_of(array->base).empty();
  return call.locals + indent + "const auto natives = " + read + ";\n" + indent +
         "if (!natives) return natives.error();\n" + indent +
         (object ? "std::vector<" + type + "> objects;\n" + indent +
                       "for (const auto native : *natives) objects.emplace_back(session_, native);\n" + indent +
                       "return objects;\n"
                 : "return detail::convert_each<" + type + ">(*natives);\n");
}

// A struct that holds a count and a pointer to the caller's array.
std::string BodyWriter::listing(const MethodVersion& v, const std::string& indent) {
  const Param* holder = nullptr;
  for (const auto& p : v.semantics->params)
    if (p.role == Role::inout) holder = v.function->find(p.name);
  const std::string type = holder ? element(v, *holder) : "";
  const ValueType& value = value_type(v, type);
  const ValueField* list = nullptr;
  for (const auto& f : value.fields)
    if (!f.hidden && f.fact->type.back() == '*') list = &f;
  if (!list) throw RegistryError(v.function->name, "struct_array without a count and a pointer in its struct");
  const std::string pointee = list->fact->type.substr(0, list->fact->type.size() - 2);
  const std::string entry = abi_type(pointee);
  const Call call = plan(v, indent + "  ");
  const std::string name = collecting_ ? snake_case(holder->name) : "older";
  if (collecting_) answer = value.name;
  const ValueType* inner = values_.of(canonical(facts_, pointee));
  return indent + value.name + " answer;\n" + indent + "auto entries = detail::read_list<" + entry +
         ">([&](unsigned int* length, " + entry + "* array) {\n" + call.locals + indent + "  " + name + "." +
         list->count + " = *length;\n" + indent + "  " + name + "." + list->fact->name + " = array;\n" + indent +
         "  const detail::Outcome outcome = detail::call(*session_, " + table_member(v) + call.arguments + ");\n" +
         indent + "  *length = " + name + "." + list->count + ";\n" + indent + "  answer = detail::value_of<" +
         value.name + ">(" + name + ");\n" + indent + "  return outcome;\n" + indent + "});\n" + indent +
         "if (!entries) return entries.error();\n" + indent + "answer." + list->name + " = " +
         (inner ? "detail::values_of<" + inner->name + ">(*entries)" : "*std::move(entries)") + ";\n" + indent +
         "return answer;\n";
}

// True for a parameter, and for a member of the struct that this version fills.
bool has(const Facts& facts, const MethodVersion& v, const std::string& name) {
  if (v.function->find(name)) return true;
  for (const auto& [param, type] : v.structs)
    if (const Struct* s = facts.structure(type); s && s->find(name)) return true;
  return false;
}

// An older version that lacks something is asked only for what it does anyway.
std::string BodyWriter::unless_it_cannot(const MethodVersion& v, const std::string& indent) const {
  std::string test;
  for (const auto& [param, constant] : newest_.older_means)
    if (!has(facts_, v, param)) {
      const std::string name = snake_case(param), type = parameter_types_.at(name);
      test += (test.empty() ? "" : " || ") + name + " != " + type + "(abi::" + spelled_in_abi(facts_, constant) + ")";
    }
  if (test.empty()) return "";
  return indent + "if (" + test + ") return Failure(Errc::function_not_found, \"" + v.function->name + "\");\n";
}

std::string BodyWriter::body(const MethodVersion& v, const std::string& indent) {
  std::string text;
  switch (v.semantics->call) {
    case Protocol::string:
    case Protocol::string_inout:
      text = string(v, indent);
      break;
    case Protocol::count_probe:
    case Protocol::count_zero_ok:
    case Protocol::count_known:
    case Protocol::fixed_array:
      text = list(v, indent);
      break;
    case Protocol::struct_array:
      text = listing(v, indent);
      break;
    default:
      text = plain(v, indent);
  }
  if (!collecting_) text = unless_it_cannot(v, indent) + text;
  collecting_ = false;
  return text;
}

}  // namespace nvmlgen
