#include "emit/bindings_method.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>

#include "emit/bindings_text.hpp"
#include "registry/error.hpp"

namespace nvmlgen {
namespace {

// In src/nvml/library.cpp, device.cpp and events.cpp: newest and older versions differ in more than a struct, a count
// is in bytes, or the method lives on another class.
const std::set<std::string> kByHand{"nvmlDeviceGetCount_v2",
                                    "nvmlUnitGetCount",
                                    "nvmlDeviceGetRemappedRows_v2",
                                    "nvmlDeviceGetFanSpeed_v2",
                                    "nvmlDeviceSetPowerManagementLimit_v2",
                                    "nvmlDeviceGetAccountingStats_v2",
                                    "nvmlDeviceGetSupportedPerformanceStates"};

// What old entry points really fill, where the facts only know today's struct under that name.
const std::map<std::string, std::string> kLegacyStructs{
    {"nvmlDeviceGetPciInfo", "nvmlPciInfo_v2_t"},
    {"nvmlDeviceGetPciInfo_v2", "nvmlPciInfo_v2_t"},
    {"nvmlDeviceGetNvLinkRemotePciInfo", "nvmlPciInfo_v2_t"},
    {"nvmlDeviceGetAttributes", "nvmlDeviceAttributes_v1_t"},
    {"nvmlComputeInstanceGetInfo", "nvmlComputeInstanceInfo_v1_t"},
    {"nvmlVgpuInstanceGetLicenseInfo", "nvmlVgpuLicenseInfo_v1_t"},
    {"nvmlDeviceGetGridLicensableFeatures", "nvmlGridLicensableFeatures_v1_t"},
    {"nvmlDeviceGetGridLicensableFeatures_v2", "nvmlGridLicensableFeatures_v1_t"},
    {"nvmlDeviceGetGridLicensableFeatures_v3", "nvmlGridLicensableFeatures_v1_t"}};

std::string unit_type(const FunctionSemantics& function, const ParamSemantics& p) {
  const std::string type = nvmlgen::unit_type(p.unit);
  if (type.empty()) throw RegistryError(function.name, "unit '" + p.unit + "' has no type in the bindings");
  return type;
}

// The class that a native handle becomes; empty for everything else.
std::string class_of(const std::string& native) {
  for (const auto& c : binding_classes())
    if (native == c.native && !native.empty()) return c.name;
  return "";
}

// Follows an alias to the struct itself.
std::string canonical(const Facts& facts, const std::string& type) {
  const Struct* s = facts.structure(type);
  return s ? s->name : type;
}

// How one version of a function is called: which symbol, and which struct stands for each struct parameter.
struct Version {
  const Function* function;
  const FunctionSemantics* semantics;
  std::map<std::string, std::string> structs;  // parameter -> struct to fill instead of the declared one
};

class Writer {
 public:
  Writer(const Facts& facts, const Values& values, const FunctionSemantics& newest)
      : facts_(facts), values_(values), newest_(newest) {}

  // `target` is the struct that the method answers with; the version's own is converted when it differs.
  std::string body(const Version& v, const std::string& indent);
  std::string answer;
  std::string nested;
  std::vector<std::string> nested_fields;
  std::string parameters;
  std::string arguments;

 private:
  struct Call {
    std::string locals;
    std::string arguments;
    std::vector<std::pair<std::string, std::string>> outs;  // {type, expression}
    std::vector<std::string> out_names;
  };

  std::string element(const Version& v, const Param& p) const {
    const auto it = v.structs.find(p.name);
    return it == v.structs.end() ? canonical(facts_, p.base) : it->second;
  }
  void parameter(const std::string& type, const std::string& name, const std::string& value = "") {
    if (!collecting_) return;
    const std::string comma = parameters.empty() ? "" : ", ";
    parameters += comma + type + ' ' + name + value;
    arguments += comma + type + ' ' + name;
  }
  void input(const Version& v, const Param& p, const ParamSemantics& s, const std::string& indent, Call& call);
  void output(const Version& v, const Param& p, const ParamSemantics& s, const std::string& indent, Call& call);
  Call plan(const Version& v, const std::string& indent);
  std::string plain(const Version& v, const std::string& indent);
  std::string string(const Version& v, const std::string& indent);
  std::string list(const Version& v, const std::string& indent);
  std::string listing(const Version& v, const std::string& indent);
  std::string version_line(const std::string& type, const std::string& name, const std::string& indent) const;
  std::string success_test(const Version& v) const;
  const ValueType& value_type(const Version& v, const std::string& structure) const;
  std::string keys(const std::string& type, const std::string& name, const std::string& indent);

  const Facts& facts_;
  const Values& values_;
  const FunctionSemantics& newest_;
  bool collecting_ = true;  // only the newest version defines the method's own parameters
};

std::string member(const Version& v) { return "&Table::" + v.function->stem(); }

const ValueType& Writer::value_type(const Version& v, const std::string& structure) const {
  const ValueType* type = values_.of(structure);
  if (!type) throw RegistryError(v.function->name, structure + " is in no family of values/structs.yaml");
  return *type;
}

// What the caller sets in a struct that goes in and out: arguments of the method, stored into the struct.
std::string Writer::keys(const std::string& type, const std::string& name, const std::string& indent) {
  std::string text;
  const ValueType* value = values_.of(type);
  for (const auto& f : value ? value->fields : std::vector<ValueField>()) {
    if (!f.key) continue;
    const bool array = !f.fact->dims.empty();
    parameter(array ? "const " + key_type(f) + "&" : key_type(f), f.name);
    const std::string to = name + "." + f.fact->name;
    if (array)
      text += indent + "std::copy(" + f.name + ".begin(), " + f.name + ".end(), " + to + ");\n";
    else if (!f.unit.empty())
      text += indent + to + " = static_cast<" + f.fact->type + ">(" + f.name + ".count());\n";
    else
      text += indent + to + " = " + f.name + ";\n";
  }
  return text;
}

std::string Writer::version_line(const std::string& type, const std::string& name, const std::string& indent) const {
  const Struct* s = facts_.structure(type);
  if (!s || s->version_macro.empty() || !s->find("version")) return "";
  return indent + name + ".version = abi::version_tag<abi::" + s->name + ">;\n";
}

// "outcome.ok()", or the codes beside it that are answers too.
std::string Writer::success_test(const Version& v) const {
  std::string test = "!outcome.ok()";
  for (const auto& code : v.semantics->success)
    if (code != "NVML_SUCCESS") test += " && outcome.code != Errc::" + lower_without("NVML_ERROR_", code);
  return test;
}

void Writer::input(const Version& v, const Param& p, const ParamSemantics& s, const std::string& indent, Call& call) {
  const std::string name = snake_case(p.name);
  std::string argument = name;
  if (p.type == "const char *") {
    parameter("const std::string&", name);
    argument += ".c_str()";
  } else if (p.ptr == 1 && p.kind == Kind::structure) {
    const std::string type = element(v, p);
    parameter("abi::" + type, name);
    call.locals += version_line(type, name, indent);
    argument = "&" + name;
    if (type != canonical(facts_, p.base)) argument = "reinterpret_cast<abi::" + p.base + "*>(" + argument + ")";
  } else if (p.ptr != 0) {
    throw RegistryError(v.function->name, "'" + p.name + "' is a pointer in; the function is manual");
  } else if (p.base == "nvmlEnableState_t") {
    parameter("bool", name);
    argument = name + " ? abi::NVML_FEATURE_ENABLED : abi::NVML_FEATURE_DISABLED";
  } else if (const std::string object = class_of(p.base); !object.empty()) {
    parameter("const " + object + "&", name);
    argument += ".handle()";
  } else if (!s.unit.empty()) {
    parameter(unit_type(*v.semantics, s), name);
    call.locals += indent + "if (!detail::holds<" + p.base + ">(" + name +
                   ")) return Failure(Errc::invalid_argument, \"" + v.function->name + "\", \"" + name +
                   " is out of range\");\n";
    argument = "static_cast<" + p.base + ">(" + name + ".count())";
  } else {
    parameter(abi_type(p.type), name);
  }
  call.arguments += ", " + argument;
}

void Writer::output(const Version& v, const Param& p, const ParamSemantics& s, const std::string& indent, Call& call) {
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
    std::string type = abi_type(p.base), value = name;
    if (p.base == "nvmlEnableState_t") {
      type = "bool";
      value = name + " != abi::NVML_FEATURE_DISABLED";
    } else if (const std::string object = class_of(p.base); !object.empty()) {
      type = object;
      value = object + "(state_, " + name + ")";
    } else if (const MaskType* mask = values_.mask_of(v.function->name, p.name)) {
      type = mask->name;
      value = type + "(" + name + ")";
    } else if (!s.unit.empty()) {
      type = unit_type(*v.semantics, s);
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

Writer::Call Writer::plan(const Version& v, const std::string& indent) {
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

std::string Writer::plain(const Version& v, const std::string& indent) {
  const Call call = plan(v, indent);
  std::string text = call.locals + indent + "const detail::Outcome outcome = detail::call(*state_, " + member(v) +
                     call.arguments + ");\n" + indent + "if (" + success_test(v) + ") return outcome.failure();\n";
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

std::string Writer::string(const Version& v, const std::string& indent) {
  const Call call = plan(v, indent);
  if (collecting_) answer = "std::string";
  const bool inout = v.semantics->call == Protocol::string_inout;
  std::string capacity = "96";
  for (const auto& p : v.semantics->params)
    if (!p.capacity.empty())
      capacity = facts_.value(p.capacity) ? "abi::" + constant_name(facts_, p.capacity) : p.capacity;
  return call.locals + indent + "return detail::read_string" + (inout ? "_inout" : "") + "(" + capacity +
         ", [&](char* array, unsigned int" + (inout ? "*" : "") + " length) { return detail::call(*state_, " +
         member(v) + call.arguments + "); });\n";
}

std::string Writer::list(const Version& v, const std::string& indent) {
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
    type = unit_type(*v.semantics, *meaning);

  const Protocol protocol = v.semantics->call;
  const bool fixed = protocol == Protocol::fixed_array;
  if (fixed) parameter("std::size_t", "size");
  const std::string helper = fixed ? "read_fixed" : protocol == Protocol::count_known ? "read_known" : "read_list";
  std::string read = "detail::" + helper + "<" + native + ">(" + (fixed ? "size, " : "") + "[&](unsigned int" +
                     (fixed ? "" : "*") + " length, " + native + "* array) { return detail::call(*state_, " +
                     member(v) + call.arguments + "); })";
  if (collecting_) answer = "std::vector<" + type + ">";
  if (structure) return call.locals + indent + "return detail::value_list<" + type + ">(" + read + ");\n";
  if (type == native) return call.locals + indent + "return " + read + ";\n";
  const bool object = !class_of(array->base).empty();
  return call.locals + indent + "const auto natives = " + read + ";\n" + indent +
         "if (!natives) return natives.error();\n" + indent +
         (object ? "std::vector<" + type + "> objects;\n" + indent +
                       "for (const auto native : *natives) objects.emplace_back(state_, native);\n" + indent +
                       "return objects;\n"
                 : "return detail::convert_each<" + type + ">(*natives);\n");
}

// A struct that holds a count and a pointer to the caller's array.
std::string Writer::listing(const Version& v, const std::string& indent) {
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
         "  const detail::Outcome outcome = detail::call(*state_, " + member(v) + call.arguments + ");\n" + indent +
         "  *length = " + name + "." + list->count + ";\n" + indent + "  answer = detail::value_of<" + value.name +
         ">(" + name + ");\n" + indent + "  return outcome;\n" + indent + "});\n" + indent +
         "if (!entries) return entries.error();\n" + indent + "answer." + list->name + " = " +
         (inner ? "detail::values_of<" + inner->name + ">(*entries)" : "*std::move(entries)") + ";\n" + indent +
         "return answer;\n";
}

std::string Writer::body(const Version& v, const std::string& indent) {
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
  collecting_ = false;
  return text;
}

bool same_types(const std::vector<Param>& a, const std::vector<Param>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Param& x, const Param& y) { return x.type == y.type; });
}

// The one parameter that holds the answer of a chain member: a struct, or a list of them.
const Param* answer_param(const Function& function, const FunctionSemantics& semantics) {
  for (const auto& p : semantics.params)
    if (p.role == Role::out || p.role == Role::inout || p.role == Role::array)
      if (const Param* param = function.find(p.name); param->kind == Kind::structure) return param;
  return nullptr;
}

// The struct that a version macro belongs to, when the function takes one.
const Param* struct_param(const Function& function) {
  for (const auto& p : function.params)
    if (p.kind == Kind::structure) return &p;
  return nullptr;
}

// True when one value can hold what either struct tells.
bool same_family(const Values& values, const std::string& a, const std::string& b) {
  return a == b || (values.of(a) && values.of(a) == values.of(b));
}

// An older member of the chain, when its answer is the newest one's or can be converted.
std::optional<Version> older_version(const Facts& facts, const Function& newest,
                                     const FunctionSemantics& newest_semantics, const std::string& newest_struct,
                                     const Values& values, const Function& older,
                                     const FunctionSemantics& older_semantics) {
  Version v{&older, &older_semantics, {}};
  const auto legacy = kLegacyStructs.find(older.name);
  if (legacy == kLegacyStructs.end() && older_semantics.call == newest_semantics.call && newest_struct.empty())
    return same_types(newest.params, older.params) ? std::optional(v) : std::nullopt;
  const Param* answer = answer_param(older, older_semantics);
  if (!answer || older_semantics.call != newest_semantics.call || newest.params.size() != older.params.size())
    return std::nullopt;
  const std::string type = legacy == kLegacyStructs.end() ? canonical(facts, answer->base) : legacy->second;
  if (!same_family(values, type, newest_struct)) return std::nullopt;
  v.structs[answer->name] = type;
  return v;
}

// Newest first: versions of the struct, then of the function.
std::vector<Version> versions_of(const Facts& facts, const Semantics& semantics, const Function& function,
                                 const FunctionSemantics& entry) {
  std::vector<Version> versions;
  const Param* holder = struct_param(function);
  std::string newest_struct;
  if (const Param* answer = answer_param(function, entry)) newest_struct = canonical(facts, answer->base);
  for (const auto& macro : entry.versions) {
    const auto known = facts.struct_versions.find(macro);
    if (known == facts.struct_versions.end() || !holder) continue;
    const std::string type = canonical(facts, known->second.structure);
    if (!versions.empty() && !same_family(semantics.values, type, newest_struct)) continue;
    if (versions.empty()) newest_struct = type;
    versions.push_back({&function, &entry, {{holder->name, type}}});
  }
  if (versions.empty()) versions.push_back({&function, &entry, {}});
  for (const auto& name : entry.chain) {
    if (name == function.name) continue;
    const Function* older = facts.function(name);
    const auto meaning = semantics.functions.find(name);
    if (!older || meaning == semantics.functions.end()) continue;
    if (auto v = older_version(facts, function, entry, newest_struct, semantics.values, *older, meaning->second))
      versions.push_back(*v);
  }
  return versions;
}

// Which version of a struct this version of the function fills, as a number; 0 when it has none.
std::string struct_version(const Facts& facts, const Version& v) {
  for (const auto& [param, type] : v.structs)
    for (const auto& [macro, version] : facts.struct_versions)
      if (canonical(facts, version.structure) == type && !v.semantics->versions.empty())
        return std::to_string(version.version);
  return "0";
}

bool regular(const Function& function, const FunctionSemantics& entry) {
  if (function.library_only || kByHand.count(function.name)) return false;
  if (entry.call == Protocol::manual || entry.call == Protocol::wait) return false;
  const bool lookup = entry.call == Protocol::by_index || entry.call == Protocol::by_key;
  return !(lookup && entry.on == "Library");  // Library::device() and its family
}

std::string doc_of(const FunctionSemantics& entry, const std::vector<Version>& versions, const Function& function) {
  std::ostringstream out;
  if (!entry.doc.empty() && entry.doc != "TODO") out << "  /// " << entry.doc << '\n';
  std::string needs;
  if (!entry.since.empty()) needs += " Needs " + entry.since + " or newer.";
  if (entry.root) needs += " Needs root.";
  if (function.deprecated) needs += " Deprecated by NVIDIA.";
  std::set<std::string> used;
  for (const auto& v : versions) used.insert(v.function->name);
  if (used.size() < entry.chain.size())
    needs += " Older versions of the function answer differently and are not tried.";
  if (!needs.empty()) out << "  ///" << needs << '\n';
  std::string errors;
  for (const auto& code : function.returns)
    if (code != "NVML_SUCCESS") errors += (errors.empty() ? "" : ", ") + lower_without("NVML_ERROR_", code);
  if (!errors.empty()) out << "  /// Errors: " << errors << ".\n";
  out << "  /// @c " << function.name << " (since " << function.first_seen << ')';
  std::set<std::string> named{function.name};
  for (const auto& v : versions)
    if (named.insert(v.function->name).second) out << ", @c " << v.function->name;
  out << '\n';
  return out.str();
}

// A call with numbers and enums only. The body names nothing but call(), so that the header needs no other class.
bool inlines(const Function& function, const FunctionSemantics& entry) {
  if (entry.call != Protocol::scalar && entry.call != Protocol::set) return false;
  for (const auto& p : entry.params) {
    const Param* param = function.find(p.name);
    const bool self = p.role == Role::self;
    if (!self && (param->kind == Kind::structure || param->kind == Kind::character || !class_of(param->base).empty()))
      return false;
  }
  return true;
}

std::string method_name(const std::string& as) {
  static const std::set<std::string> keywords{"class", "delete", "new", "default", "register", "union", "switch"};
  return keywords.count(as) ? as + '_' : as;
}

}  // namespace

const std::vector<BindingClass>& binding_classes() {
  static const std::vector<BindingClass> classes{{"Library", ""},
                                                 {"Device", "nvmlDevice_t"},
                                                 {"Unit", "nvmlUnit_t"},
                                                 {"GpuInstance", "nvmlGpuInstance_t"},
                                                 {"ComputeInstance", "nvmlComputeInstance_t"},
                                                 {"VgpuType", "nvmlVgpuTypeId_t"},
                                                 {"VgpuInstance", "nvmlVgpuInstance_t"}};
  return classes;
}

std::string camel_case(const std::string& snake) {
  std::string out;
  bool upper = true;
  for (const char c : snake) {
    if (c == '_') {
      upper = true;
      continue;
    }
    out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return out;
}

std::string snake_case(const std::string& camel) {
  std::string out;
  for (std::size_t i = 0; i < camel.size(); ++i) {
    const auto c = static_cast<unsigned char>(camel[i]);
    const bool after_lower = i > 0 && !std::isupper(static_cast<unsigned char>(camel[i - 1])) && camel[i - 1] != '_';
    const bool unit = i + 2 < camel.size() && camel.compare(i, 3, "MHz") == 0;
    if (std::isupper(c) && (after_lower || unit) && i > 0) out += '_';
    out += static_cast<char>(std::tolower(c));
  }
  // Hungarian remainders say nothing: pThermalSettings, bIsPresent.
  return out.size() > 2 && out[1] == '_' && (out[0] == 'p' || out[0] == 'b') ? out.substr(2) : method_name(out);
}

std::optional<Method> method_for(const Facts& facts, const Semantics& semantics, const FunctionSemantics& entry) {
  const Function* function = facts.function(entry.name);
  if (!function || !regular(*function, entry)) return std::nullopt;
  Method m;
  m.name = method_name(entry.as);
  if (!entry.chained_by.empty()) {
    const Function* newest = facts.function(entry.chained_by);
    const auto& meaning = semantics.functions.at(entry.chained_by);
    if (!newest || !regular(*newest, meaning)) return std::nullopt;  // by hand, its older versions included
    for (const auto& v : versions_of(facts, semantics, *newest, meaning))
      if (v.function == function) return std::nullopt;
    if (entry.as == meaning.as) m.name += "_v1";
  }
  const std::vector<Version> versions = versions_of(facts, semantics, *function, entry);
  Writer writer(facts, semantics.values, entry);
  if (versions.size() == 1) {
    m.body = writer.body(versions[0], "  ");
  } else {
    std::string bodies;
    for (const auto& v : versions) {
      const std::string body = writer.body(v, "        ");
      bodies += (bodies.empty() ? "" : ",\n") + ("      detail::by(" + member(v) + ", " + struct_version(facts, v) +
                                                 ", [&]() -> Result<" + writer.answer + "> {\n" + body + "      })");
    }
    m.body = "  return detail::newest_of(\n" + bodies + ");\n";
  }
  m.answer = writer.answer;
  m.nested = writer.nested;
  m.nested_fields = writer.nested_fields;
  m.parameters = writer.parameters;
  m.arguments = writer.arguments;
  m.doc = doc_of(entry, versions, *function);
  m.inlined = versions.size() == 1 && inlines(*function, entry);
  return m;
}

}  // namespace nvmlgen
