#include "cuda_runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../registry/error.hpp"
#include "clang_unit.hpp"
#include "elf_symbols.hpp"

namespace nvmlgen {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;
using namespace headers;

struct Header {
  std::string version;  // 12.4
  std::map<std::string, ordered_json> functions;
};

// Type and name, and what the type does not show: the size of a struct that is handed over as itself, since the way
// it takes depends on that, and that something is called.
ordered_json parameter(CXCursor cursor) {
  const CXType type = clang_getCursorType(cursor);
  const CXType canonical = clang_getCanonicalType(type);
  ordered_json out{spelling(type), spelling(cursor)};
  if (canonical.kind == CXType_Record) out.push_back(clang_Type_getSizeOf(type));
  if (canonical.kind == CXType_Pointer && clang_getPointeeType(canonical).kind == CXType_FunctionProto)
    out.push_back("callback");
  return out;
}

ordered_json parameters(CXCursor function) {
  auto out = ordered_json::array();
  for (int i = 0, n = clang_Cursor_getNumArguments(function); i < n; ++i)
    out.push_back(parameter(clang_Cursor_getArgument(function, static_cast<unsigned>(i))));
  return out;
}

void read_into(Header& header, const fs::path& include, const std::vector<std::string>& defines) {
  const auto content = fmt::format(
      "#include \"{0}/cuda_runtime_api.h\"\n#include \"{0}/cuda_profiler_api.h\"\nenum {{ version = CUDART_VERSION "
      "}};\n",
      fs::absolute(include).string());
  const ClangUnit unit("runtime.h", defines, &content, ClangUnit::Errors::refuse);
  const auto add = [&](CXCursor cursor) {
    const auto name = spelling(cursor);
    if (clang_getCursorKind(cursor) == CXCursor_FunctionDecl && name.starts_with("cuda"))
      header.functions.emplace(name, parameters(cursor));
    if (clang_getCursorKind(cursor) == CXCursor_EnumDecl &&
        clang_Location_isFromMainFile(clang_getCursorLocation(cursor)))
      each_child(cursor, [&](CXCursor value) {
        const auto number = clang_getEnumConstantDeclValue(value);
        header.version = fmt::format("{}.{}", number / 1000, number % 1000 / 10);
      });
  };
  unit.each(add, false);
}

// The library that lies beside the headers of a toolkit.
fs::path library_of(const fs::path& include) {
  for (const char* folder : {"lib64", "lib"})
    if (const auto place = fs::absolute(include).lexically_normal().parent_path() / folder; fs::is_directory(place))
      for (const auto& entry : fs::directory_iterator(place))
        if (entry.path().filename().string().starts_with("libcudart.so.")) return entry.path();
  throw RegistryError(include.string(), "no libcudart.so beside it, in lib64 or lib");
}

ordered_json load(const fs::path& file, ordered_json without) {
  if (!fs::exists(file)) return without;
  std::ifstream in(file);
  return ordered_json::parse(in);
}

// One entry per line: a changed fact is a changed line.
void save(const fs::path& file, const ordered_json& entries) {
  std::string text;
  for (const auto& [key, entry] : entries.items())
    text += fmt::format("{}\n  {}{}", text.empty() ? "" : ",",
                        entries.is_object() ? ordered_json(key).dump() + ": " : "", entry.dump());
  std::ofstream out(file, std::ios::binary);
  if (!(out << (entries.is_object() ? "{" + text + "\n}\n" : "[" + text + "\n]\n")).flush())
    throw RegistryError(file.string(), "cannot be written");
}

bool is_older(const std::string& a, const std::string& b) {
  const auto major = [](const std::string& v) { return std::stoi(v); };
  const auto minor = [](const std::string& v) { return std::stoi(v.substr(v.find('.') + 1)); };
  return std::pair(major(a), minor(a)) < std::pair(major(b), minor(b));
}

// Functions of the same signature share an entry, which says in which versions it is so.
ordered_json joined(const ordered_json& known, const Header& header) {
  auto out = ordered_json::array();
  auto left = header.functions;
  for (auto entry : known) {
    auto versions = entry.at("versions").get<std::vector<std::string>>();
    std::erase(versions, header.version);
    const auto at = left.find(entry.at("name").get<std::string>());
    if (at != left.end() && at->second == entry.at("params")) {
      versions.push_back(header.version);
      left.erase(at);
    }
    if (versions.empty()) continue;
    std::sort(versions.begin(), versions.end(), is_older);
    entry["versions"] = versions;
    out.push_back(std::move(entry));
  }
  for (const auto& [name, params] : left)
    out.push_back({{"name", name}, {"versions", {header.version}}, {"params", params}});
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    if (a.at("name") != b.at("name")) return a.at("name") < b.at("name");
    return is_older(a.at("versions").at(0), b.at("versions").at(0));
  });
  return out;
}

// Symbol -> versions whose library has it.
ordered_json joined_exports(const ordered_json& known, const std::string& version, const fs::path& library) {
  std::map<std::string, std::vector<std::string>> all = known;
  for (auto& [symbol, versions] : all) std::erase(versions, version);
  for (const char* prefix : {"cuda", "__cuda"})
    for (const auto& symbol : exported_symbols(library.string(), prefix)) all[symbol].push_back(version);
  auto out = ordered_json::object();
  for (auto& [symbol, versions] : all) {
    std::sort(versions.begin(), versions.end(), is_older);
    if (!versions.empty()) out[symbol] = versions;
  }
  return out;
}

}  // namespace

std::string import_cuda_runtime(const fs::path& include, const fs::path& facts) {
  Header header;
  read_into(header, include, {});
  read_into(header, include, {"CUDA_API_PER_THREAD_DEFAULT_STREAM"});
  fs::create_directories(facts);
  const auto library = library_of(include);
  const auto declared = facts / "runtime.json", exported = facts / "runtime_exports.json";
  try {
    save(declared, joined(load(declared, ordered_json::array()), header));
    save(exported, joined_exports(load(exported, ordered_json::object()), header.version, library));
  } catch (const nlohmann::json::exception& e) {
    throw RegistryError(facts.string(), e.what());
  }
  return fmt::format("runtime {}: {} functions\n", header.version, header.functions.size());
}

}  // namespace nvmlgen
