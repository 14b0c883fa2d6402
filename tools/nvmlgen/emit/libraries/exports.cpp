// src/libraries/NAME/generated: types, declarations, exported functions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>

#include "emit/libraries/emitters.hpp"
#include "emit/libraries/text.hpp"

namespace nvmlgen::libraries {
namespace {

// Whether any of our releases exports it.
bool is_exported(const Library& library, const Function& function) {
  return std::any_of(library.releases.begin(), library.releases.end(),
                     [&](const auto& release) { return library.exports_in(function, release); });
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// The status may name the function and the argument of the condition, and the argument's number.
std::string first_checks(const Library& library, const Function& function) {
  std::string out;
  const auto found = library.first.find(function.name);
  if (found == library.first.end()) return out;
  for (auto [condition, status] : found->second) {
    replace(status, "{function}", function.name);
    for (std::size_t k = 0; k < function.params.size(); ++k) {
      if (condition != "!" + function.params[k].name) continue;
      replace(status, "{argument}", function.params[k].name);
      replace(status, "{number}", std::to_string(k + 1));
    }
    out += fmt::format("  if ({}) return {};\n", condition, status);
  }
  return out;
}

std::string body(const Library& library, const Function& function) {
  const auto& by = library.answer(function).by;
  const auto first = first_checks(library, function);
  if (takes_handle(library, function)) {
    const auto rest = arguments(function, 1);
    return first +
           fmt::format("  return with({0}, \"{1}\", [&](const Call& call) {{ return functions::{2}(call{3}{4}); }});\n",
                       function.params[0].name, function.name, by, rest.empty() ? "" : ", ", rest);
  }
  if (function.returns == library.status)
    return first +
           fmt::format("  return without_handle([&] {{ return functions::{}({}); }});\n", by, arguments(function));
  return first + fmt::format("  return functions::{}({});\n", by, arguments(function));
}

// The first name of two is weak: a program may take its place.
const char* weak(const Library& library) { return library.second_names.empty() ? "" : "__attribute__((weak)) "; }

// The same function under its second name.
std::string second_name(const Library& library, Function function) {
  if (library.second_names.empty()) return "";
  const auto first = function.name;
  function.name = library.second_names + first;
  return fmt::format("NVMLKIT_LIBRARY_EXPORT {} __attribute__((alias(\"{}\")));\n", declaration(library, function),
                     first);
}

}  // namespace

std::string emit_types(const Library& library) {
  std::string out = kBanner;
  out += fmt::format(
      "// The enums of the headers of {0}, with their names and numbers. A program may hand over any number.\n"
      "#pragma once\n\n#include <cstdint>\n\nnamespace nvmlkit::{1} {{\n",
      library.name, library.id);
  std::map<decltype(Enum::values), std::string> known;  // typedefs of one enum have its values
  for (const auto& e : library.enums) {
    if (const auto [first, is_new] = known.emplace(e.values, e.name); !is_new) {
      out += fmt::format("\nusing {} = {};\n", e.name, first->second);
      continue;
    }
    const bool is_signed = std::any_of(e.values.begin(), e.values.end(), [](const auto& v) { return v.second < 0; });
    out += fmt::format("\nenum {} : {} {{\n", e.name, is_signed ? "std::int32_t" : "std::uint32_t");
    for (const auto& [name, value] : e.values) out += fmt::format("  {} = {},\n", name, value);
    out += "};\n";
  }
  return out + fmt::format("\n}}  // namespace nvmlkit::{}\n", library.id);
}

std::string emit_api(const Library& library) {
  std::string out = kBanner;
  out += fmt::format(
      "// The functions of {0} that are simulated, as its headers declare them.\n#pragma once\n\n"
      "#include \"libraries/{1}/types.hpp\"\n\nnamespace nvmlkit::{1} {{\n",
      library.name, library.id);
  for (const auto& s : library.structs)
    if (library.types.count(s.name))
      out += fmt::format("static_assert(sizeof({0}) == {1} && alignof({0}) == {2});\n", library.types.at(s.name),
                         s.size, s.align);
  out += "\nextern \"C\" {\n\n";
  for (const auto& f : library.functions)
    if (!library.answer(f).by.empty() && is_exported(library, f)) out += declaration(library, f) + ";\n";
  return out + fmt::format("\n}}  // extern \"C\"\n}}  // namespace nvmlkit::{}\n", library.id);
}

std::string emit_exports(const Library& library, const std::string& subject) {
  std::string out = kBanner;
  out += fmt::format(
      "#include \"libraries/{0}/call.hpp\"\n#include \"libraries/{0}/functions/{1}.hpp\"\n"
      "#include \"libraries/{0}/generated/api.hpp\"\n\nnamespace nvmlkit::{0} {{\n\n",
      library.id, subject);
  for (const auto& f : library.functions)
    if (library.answer(f).subject == subject && !library.answer(f).by.empty() && is_exported(library, f))
      out += fmt::format("NVMLKIT_LIBRARY_EXPORT {}{} {{\n{}}}\n{}\n", weak(library), declaration(library, f),
                         body(library, f), second_name(library, f));
  return out + fmt::format("}}  // namespace nvmlkit::{}\n", library.id);
}

namespace {

// What stands for a type in a function that only compares: a number of the same size, or a pointer.
std::string plain_type(const Library& library, const std::string& type) {
  const auto is_one_of = [&](std::initializer_list<const char*> all) {
    return std::find(all.begin(), all.end(), type) != all.end();
  };
  const auto is_enum = [&](const Enum& e) { return e.name == type; };
  if (is_one_of({"int", "unsigned int", "int32_t", "uint32_t"}) ||
      std::any_of(library.enums.begin(), library.enums.end(), is_enum))
    return "std::uint32_t";
  if (type == "uint8_t") return "std::uint8_t";
  if (type == "float" || type == "double") return type;
  return is_one_of({"size_t", "int64_t", "uint64_t"}) ? "std::uint64_t" : "const void*";
}

// The parameters up to the last one that its checks name.
std::string checked_params(const Library& library, const Function& function, const std::string& checks) {
  std::vector<std::string> all;
  std::size_t count = 0;
  for (const auto& param : function.params) {
    const bool is_handle = all.empty() && takes_handle(library, function);
    const bool is_named = is_handle || std::regex_search(checks, std::regex("\\b" + param.name + "\\b"));
    all.push_back(is_handle ? our_type(library, param.type) : plain_type(library, param.type));
    if (!is_named) continue;
    all.back() += " " + param.name;
    count = all.size();
  }
  all.resize(count);
  return fmt::format("{}", fmt::join(all, ", "));
}

// What such a function does: the checks that NVIDIA's begins with, then the line.
std::string unsupported_body(const Library& library, const Function& function, const std::string& checks) {
  const bool has_status = function.returns == library.status;
  const auto type = our_type(library, function.returns);
  const auto answer = has_status       ? ", " + library.not_supported
                      : type == "void" ? std::string{}
                                       : fmt::format(", {}{{}}", type);
  const auto call = fmt::format("{}unsupported(\"{}\"{});", type == "void" ? "" : "return ", function.name, answer);
  if (has_status && takes_handle(library, function))
    return fmt::format("{0}  return with({1}, \"{2}\", [](const Call&) {{ {3} }});\n", checks, function.params[0].name,
                       function.name, call);
  return checks + "  " + call + "\n";
}

}  // namespace

std::string emit_unsupported(const Library& library) {
  std::string out = kBanner;
  out += fmt::format(
      "// Functions that are not simulated. A program that was linked with them starts; a call prints their name.\n"
      "#include \"libraries/{0}/call.hpp\"\n#include \"libraries/{0}/generated/api.hpp\"\n\n"
      "namespace nvmlkit::{0} {{\nextern \"C\" {{\n\n",
      library.id);
  for (const auto& f : library.functions) {
    if (!library.answer(f).by.empty() || !is_exported(library, f)) continue;
    const auto type = our_type(library, f.returns);
    const auto checks = first_checks(library, f);
    const auto params = f.returns == library.status ? checked_params(library, f, checks) : std::string{};
    out += fmt::format("NVMLKIT_LIBRARY_EXPORT {}{} {}({}) {{\n{}}}\n", weak(library), type, f.name, params,
                       unsupported_body(library, f, checks));
    if (!library.second_names.empty())
      out += fmt::format("NVMLKIT_LIBRARY_EXPORT {0} {1}{2}({3}) __attribute__((alias(\"{2}\")));\n", type,
                         library.second_names, f.name, params);
  }
  return out + fmt::format("\n}}  // extern \"C\"\n}}  // namespace nvmlkit::{}\n", library.id);
}

std::string emit_version_script(const Library& library, const Release& release) {
  std::string out = fmt::format("# Generated by nvmlgen from registry/. Do not edit.\n{}{{\n  global:\n",
                                library.has_symbol_versions ? release.soname + " " : "");
  for (const auto& f : library.functions) {
    if (!library.exports_in(f, release)) continue;
    out += fmt::format("    {};\n", f.name);
    if (!library.second_names.empty()) out += fmt::format("    {}{};\n", library.second_names, f.name);
  }
  return out + "  local:\n    *;\n};\n";
}

std::string emit_test_table(const Library& library) {
  std::string members;
  for (const auto& f : library.functions)
    if (!library.answer(f).by.empty() && is_exported(library, f))
      members += fmt::format("  decltype(&{0}::{1}) {1} = find<decltype(&{0}::{1})>(\"{1}\");\n", library.id, f.name);
  std::string unsupported;
  for (const auto& f : library.functions)
    if (library.answer(f).by.empty() && f.returns == library.status && is_exported(library, f))
      unsupported += fmt::format("    \"{}\",\n", f.name);
  return fmt::format(
      "{0}// The functions of a loaded {1}, for tests: dlopen() as programs do it, and the compiler checks the "
      "arguments.\n"
      "#pragma once\n\n#include <vector>\n\n#include \"libraries/{2}/generated/api.hpp\"\n#include \"loaded.hpp\"\n\n"
      "namespace nvmlkit::library_test {{\n\nstruct {3} : Loaded {{\n  explicit {3}(const char* path) : Loaded(path) "
      "{{}}\n\n"
      "{4}}};\n\n// Those that answer {5}.\ninline const std::vector<const char*> k{3}Unsupported = {{\n{6}}};\n\n"
      "}}  // namespace nvmlkit::library_test\n",
      kBanner, library.name, library.id, static_cast<char>(std::toupper(library.id[0])) + library.id.substr(1), members,
      library.not_supported, unsupported);
}

}  // namespace nvmlgen::libraries
