// src/libraries/NAME/generated: types, declarations, exported functions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "emit/libraries/emitters.hpp"
#include "emit/libraries/text.hpp"

namespace nvmlgen::libraries {
namespace {

// Whether any of our releases exports it.
bool is_exported(const Library& library, const Function& function) {
  return std::any_of(library.releases.begin(), library.releases.end(),
                     [&](const auto& release) { return library.exports_in(function, release); });
}

std::string body(const Library& library, const Function& function) {
  const auto& by = library.answer(function).by;
  if (takes_handle(library, function)) {
    const auto rest = arguments(function, 1);
    std::string first;
    if (const auto found = library.null_handle.find(function.name); found != library.null_handle.end())
      first += fmt::format("  if (!{}) return {};\n", function.params[0].name, found->second);
    if (const auto found = library.empty.find(function.name); found != library.empty.end())
      first += fmt::format("  if ({}) return {{}};\n", found->second);
    return first +
           fmt::format("  return with({0}, \"{1}\", [&](const Call& call) {{ return functions::{2}(call{3}{4}); }});\n",
                       function.params[0].name, function.name, by, rest.empty() ? "" : ", ", rest);
  }
  if (function.returns == library.status)
    return fmt::format("  return without_handle([&] {{ return functions::{}({}); }});\n", by, arguments(function));
  return fmt::format("  return functions::{}({});\n", by, arguments(function));
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
    if (f.returns == library.status)
      out += fmt::format("NVMLKIT_LIBRARY_EXPORT {3}{0} {1}() {{ return unsupported(\"{1}\", {2}); }}\n", type, f.name,
                         library.not_supported, weak(library));
    else
      out += fmt::format("NVMLKIT_LIBRARY_EXPORT {4}{0} {1}() {{{3} unsupported(\"{1}\"{2}); }}\n", type, f.name,
                         type == "void" ? "" : fmt::format(", {}{{}}", type), type == "void" ? "" : " return",
                         weak(library));
    if (!library.second_names.empty())
      out += fmt::format("NVMLKIT_LIBRARY_EXPORT {0} {1}{2}() __attribute__((alias(\"{2}\")));\n", type,
                         library.second_names, f.name);
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
