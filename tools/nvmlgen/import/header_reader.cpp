#include "header_reader.hpp"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>

namespace nvmlgen::headers {

namespace {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) throw Error(fmt::format("{}: cannot be read", path.string()));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void set_guards(const ClangUnit& default_unit, Api& api) {
  std::set<std::string> declared;
  default_unit.each([&](CXCursor cursor) {
    if (clang_getCursorKind(cursor) == CXCursor_FunctionDecl) declared.insert(spelling(cursor));
  });
  for (Function& f : api.functions)
    if (!declared.contains(f.name)) f.guard = kAllVersionsMacro;
}

// A declaration outside of every group belongs where its family is.
void inherit_groups(Api& api) {
  for (const auto& [plain, family] : families(api)) {
    std::optional<std::string> group;
    for (const std::string& name : family.members)
      if (const Function* f = find(api.functions, name); f->group) group = f->group;
    for (Function& f : api.functions)
      if (!f.group && split_version(f.name).first == plain) f.group = group;
  }
}

// How the caller fills a leading version field: by a macro, by a plain number that a constant gives, or not at all.
void set_versioned(Api& api) {
  for (Struct& s : api.structs) {
    if (s.fields.empty() || s.fields.front().name != "version") continue;
    if (!s.version_macro.empty()) {
      s.versioned = "macro";
      continue;
    }
    std::string constant = "NVML";
    for (const char c : s.name.substr(4, s.name.size() - 6)) {
      if (c >= 'A' && c <= 'Z') constant += '_';
      constant += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    constant += "_VERSION";
    const Constant* small = find(api.constants, constant);
    s.versioned = small ? "small" : "data";
    if (small) s.version_macro.emplace_back(constant, small->value.get<std::int64_t>());
  }
}

}  // namespace

Api read_header(const std::filesystem::path& header) {
  const DocComments docs(read_text(header));
  const ClangUnit unit(header.string(), {kAllVersionsMacro}, nullptr, ClangUnit::Errors::refuse);
  const ClangUnit default_unit(header.string(), {}, nullptr, ClangUnit::Errors::refuse);
  Api api;
  read_declarations(unit, docs, api);
  if (api.functions.empty()) throw Error(fmt::format("{}: declares no nvml function", header.string()));
  read_macros(header, unit, default_unit, docs, api);
  set_guards(default_unit, api);
  inherit_groups(api);
  set_versioned(api);
  api.version = docs.header_version();
  if (const Constant* number = find(api.constants, "NVML_API_VERSION"); api.version.empty() && number)
    api.version = number->value.dump();
  return api;
}

}  // namespace nvmlgen::headers
