#include "library.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "../registry/error.hpp"
#include "clang_unit.hpp"
#include "elf_symbols.hpp"

namespace nvmlgen {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;
using namespace headers;

struct Declared {
  std::string version;  // of CUDA
  std::map<std::string, ordered_json> functions, enums, structs;
};

ordered_json function_of(CXCursor cursor) {
  auto params = ordered_json::array();
  for (int i = 0, n = clang_Cursor_getNumArguments(cursor); i < n; ++i) {
    const CXCursor argument = clang_Cursor_getArgument(cursor, static_cast<unsigned>(i));
    params.push_back({spelling(clang_getCursorType(argument)), spelling(argument)});
  }
  return {{"returns", spelling(clang_getCursorResultType(cursor))}, {"params", params}};
}

ordered_json enum_of(CXCursor declaration) {
  auto values = ordered_json::object();
  each_child(declaration, [&](CXCursor value) {
    if (clang_getCursorKind(value) == CXCursor_EnumConstantDecl)
      values[spelling(value)] = clang_getEnumConstantDeclValue(value);
  });
  return values;
}

// Words of a type: what a parameter names.
void add_words(const std::string& type, std::set<std::string>& out) {
  std::string word;
  for (const char c : type + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      word += c;
    } else if (!word.empty()) {
      out.insert(word);
      word.clear();
    }
  }
}

struct Wanted {
  std::string prefix;
  std::vector<std::string> files;  // names of the library's own headers
  std::set<std::string> words;     // that its functions name

  bool is_own(CXCursor cursor) const {
    const auto file = fs::path(file_of(clang_getCursorLocation(cursor))).filename().string();
    return std::find(files.begin(), files.end(), file) != files.end();
  }
};

void read_type(CXCursor cursor, const Wanted& wanted, Declared& out) {
  const auto name = spelling(cursor);
  if (!wanted.is_own(cursor) && !wanted.words.contains(name)) return;
  const CXType type = clang_getCanonicalType(clang_getTypedefDeclUnderlyingType(cursor));
  const CXCursor declaration = clang_getTypeDeclaration(type);
  if (type.kind == CXType_Enum) out.enums[name] = enum_of(declaration);
  if (type.kind == CXType_Record && clang_Type_getSizeOf(type) > 0 && wanted.is_own(cursor))
    out.structs[name] = {{"size", clang_Type_getSizeOf(type)}, {"align", clang_Type_getAlignOf(type)}};
}

void read_group(const fs::path& include, const std::vector<std::string>& group, Wanted& wanted, Declared& out) {
  std::string content = "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n";
  const auto folder = fs::absolute(include).string();
  for (const auto& header : group) content += fmt::format("#include \"{}/{}\"\n", folder, header);
  content += fmt::format("#include \"{}/cuda.h\"\nenum {{ version_of_cuda = CUDA_VERSION }};\n", folder);
  // As C++: some functions are declared for it alone.
  const ClangUnit unit("library.hpp", {folder}, content);
  const auto each = [&](const std::function<void(CXCursor)>& visit) {
    // A header that others include within extern "C" has blocks of its own.
    const std::function<void(CXCursor)> enter = [&](CXCursor cursor) {
      const auto kind = clang_getCursorKind(cursor);
      if (kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl)
        each_child(cursor, enter);
      else
        visit(cursor);
    };
    unit.each(enter, false);
  };
  each([&](CXCursor cursor) {
    const auto name = spelling(cursor);
    if (clang_getCursorKind(cursor) == CXCursor_EnumDecl &&
        clang_Location_isFromMainFile(clang_getCursorLocation(cursor)))
      each_child(cursor, [&](CXCursor value) {
        const auto number = clang_getEnumConstantDeclValue(value);
        out.version = fmt::format("{}.{}", number / 1000, number % 1000 / 10);
      });
    if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl || !name.starts_with(wanted.prefix)) return;
    if (clang_Cursor_getStorageClass(cursor) == CX_SC_Static || clang_Cursor_isFunctionInlined(cursor)) return;
    auto function = function_of(cursor);
    add_words(function.dump(), wanted.words);
    out.functions.emplace(name, std::move(function));
  });
  each([&](CXCursor cursor) {
    if (clang_getCursorKind(cursor) == CXCursor_TypedefDecl) read_type(cursor, wanted, out);
  });
}

fs::path library_beside(const fs::path& include, const std::string& name) {
  for (const char* folder : {"lib64", "lib"})
    if (const auto place = fs::absolute(include).lexically_normal().parent_path() / folder; fs::is_directory(place))
      for (const auto& entry : fs::directory_iterator(place))
        if (entry.path().filename().string().starts_with(name + ".so.")) return entry.path();
  throw RegistryError(include.string(), "no " + name + ".so beside it, in lib64 or lib");
}

ordered_json load(const fs::path& file) {
  if (!fs::exists(file))
    return {{"functions", ordered_json::array()},
            {"enums", ordered_json::object()},
            {"structs", ordered_json::object()},
            {"exports", ordered_json::object()}};
  std::ifstream in(file);
  return ordered_json::parse(in);
}

// One entry per line: a changed fact is a changed line.
void save_facts(const fs::path& file, const ordered_json& facts) {
  std::string text;
  for (const auto& [section, entries] : facts.items()) {
    std::string lines;
    for (const auto& [key, entry] : entries.items())
      lines += fmt::format("{}\n    {}{}", lines.empty() ? "" : ",",
                           entries.is_object() ? ordered_json(key).dump() + ": " : "", entry.dump());
    text += fmt::format("{}\n  \"{}\": {}{}\n  {}", text.empty() ? "" : ",", section, entries.is_object() ? "{" : "[",
                        lines, entries.is_object() ? "}" : "]");
  }
  std::ofstream out(file, std::ios::binary);
  if (!(out << "{" + text + "\n}\n").flush()) throw RegistryError(file.string(), "cannot be written");
}

using Versions = std::vector<std::string>;

void add_version(Versions& versions, const std::string& version) {
  if (std::find(versions.begin(), versions.end(), version) == versions.end()) versions.push_back(version);
  std::sort(versions.begin(), versions.end(), [](const auto& a, const auto& b) {
    return std::pair(std::stoi(a), std::stoi(a.substr(a.find('.') + 1))) <
           std::pair(std::stoi(b), std::stoi(b.substr(b.find('.') + 1)));
  });
}

// Functions of the same signature share an entry, which names the versions of its headers.
void join_functions(ordered_json& known, const Declared& declared) {
  std::map<std::string, ordered_json> all;  // by name and signature
  const auto key = [](const std::string& name, const ordered_json& f) {
    return name + ' ' + f.at("returns").dump() + f.at("params").dump();
  };
  for (const auto& entry : known) all[key(entry.at("name"), entry)] = entry;
  for (const auto& [name, function] : declared.functions) {
    auto& entry = all[key(name, function)];
    auto versions = entry.is_null() ? Versions{} : entry.at("versions").get<Versions>();
    add_version(versions, declared.version);
    entry = {
        {"name", name}, {"versions", versions}, {"returns", function.at("returns")}, {"params", function.at("params")}};
  }
  known = ordered_json::array();
  for (auto& [name, entry] : all) known.push_back(std::move(entry));
}

void join_exports(ordered_json& known, const std::string& version, const std::vector<std::string>& symbols) {
  std::map<std::string, Versions> all = known;
  for (const auto& symbol : symbols) add_version(all[symbol], version);
  known = ordered_json::object();
  for (const auto& [symbol, versions] : all) known[symbol] = versions;
}

}  // namespace

std::string import_library(const LibraryImport& import) {
  const auto page = YAML::LoadFile((import.registry / (import.name + ".yaml")).string());
  const auto library = page["library"].as<std::string>();
  Declared declared;
  declared.version = import.version;
  if (!import.include.empty()) {
    Wanted wanted{page["prefix"].as<std::string>(), {}, {}};
    for (const auto& group : page["headers"])
      for (const auto& header : group) wanted.files.push_back(header.as<std::string>());
    for (const auto& group : page["headers"])
      read_group(import.include, group.as<std::vector<std::string>>(), wanted, declared);
  }
  if (declared.version.empty()) throw RegistryError("import-library", "a library without headers needs --version");
  const auto file = import.library.empty() ? library_beside(import.include, library) : import.library;
  fs::create_directories(import.registry / "facts");
  const auto place = import.registry / "facts" / (import.name + ".json");
  auto facts = load(place);
  join_functions(facts["functions"], declared);
  for (const auto& [name, values] : declared.enums) facts["enums"][name] = values;
  for (const auto& [name, layout] : declared.structs) facts["structs"][name] = layout;
  const auto symbols = exported_symbols(file.string(), page["prefix"].as<std::string>());
  join_exports(facts["exports"], declared.version, symbols);
  save_facts(place, facts);
  return fmt::format("{} of CUDA {}: {} functions, {} exported symbols\n", library, declared.version,
                     declared.functions.size(), symbols.size());
}

}  // namespace nvmlgen
