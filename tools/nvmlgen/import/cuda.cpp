#include "cuda.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "../registry/error.hpp"

namespace nvmlgen {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

ordered_json read(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw RegistryError(file.string(), "cannot be read");
  return ordered_json::parse(in);
}

// One entry per line: a changed fact is a changed line.
void write(const fs::path& file, const ordered_json& document) {
  std::string text;
  if (document.is_array()) {
    for (const auto& entry : document) text += fmt::format("{}\n  {}", text.empty() ? "" : ",", entry.dump());
    text = "[" + text + "\n]\n";
  } else {
    for (const auto& [key, entry] : document.items())
      text += fmt::format("{}\n  {}: {}", text.empty() ? "" : ",", ordered_json(key).dump(), entry.dump());
    text = "{" + text + "\n}\n";
  }
  std::ofstream out(file, std::ios::binary);
  if (!(out << text).flush()) throw RegistryError(file.string(), "cannot be written");
}

// Those that no driver exports are of newer ones than were read.
ordered_json functions(const ordered_json& dump) {
  auto out = ordered_json::array();
  for (const auto& f : dump.at("functions")) {
    ordered_json params = ordered_json::array();
    for (const auto& p : f.at("params")) params.push_back({p.at("type"), p.at("name")});
    ordered_json entry{{"name", f.at("name")}, {"family", f.at("family")}, {"params", params}};
    if (f.at("group").is_string()) entry["group"] = f.at("group");
    if (f.contains("stream")) entry["stream"] = f.at("stream");
    if (f.at("deprecated").is_boolean() && f.at("deprecated").get<bool>()) entry["deprecated"] = true;
    entry["drivers"] = f.at("exported_by");
    out.push_back(std::move(entry));
  }
  return out;
}

ordered_json enums(const ordered_json& dump) {
  auto out = ordered_json::object();
  for (const auto& e : dump.at("enums")) {
    ordered_json entry;
    if (e.contains("aliases")) entry["aliases"] = e.at("aliases");
    if (e.contains("tag")) entry["tag"] = e.at("tag");
    entry["underlying"] = e.at("underlying");
    entry["values"] = e.at("values");
    out[e.at("name").get<std::string>()] = std::move(entry);
  }
  return out;
}

// Structs of plain fields. Of one with a union inside, only its size is kept.
ordered_json structs(const ordered_json& dump) {
  auto out = ordered_json::object();
  for (const auto& s : dump.at("structs")) {
    bool plain = s.value("kind", "struct") == "struct";
    for (const auto& f : s.at("fields"))
      plain &= !f.contains("fields") && f.at("type").get<std::string>().find("union") == std::string::npos &&
               !f.contains("bits");
    ordered_json entry{{"size", s.at("size")}, {"align", s.at("align")}};
    if (s.contains("tag")) entry["tag"] = s.at("tag");
    if (s.contains("aliases")) entry["aliases"] = s.at("aliases");
    if (plain) {
      entry["fields"] = ordered_json::array();
      for (const auto& f : s.at("fields")) {
        ordered_json field{f.at("type"), f.at("name"), f.at("off")};
        if (f.contains("dims"))
          for (const auto& dim : f.at("dims")) field.push_back(dim);
        entry["fields"].push_back(std::move(field));
      }
    }
    out[s.at("name").get<std::string>()] = std::move(entry);
  }
  return out;
}

ordered_json types(const ordered_json& dump) {
  ordered_json out{{"cuda_version", dump.at("meta").at("cuda_version")}, {"handles", ordered_json::object()}};
  for (const auto& h : dump.at("handles")) out["handles"][h.at("name").get<std::string>()] = h.at("struct");
  out["typedefs"] = ordered_json::object();
  for (const auto& t : dump.at("typedefs")) out["typedefs"][t.at("name").get<std::string>()] = t.at("type");
  out["callbacks"] = ordered_json::object();
  for (const auto& c : dump.at("function_pointer_types"))
    out["callbacks"][c.at("name").get<std::string>()] = {{"ret", c.at("ret")}, {"params", c.at("args")}};
  return out;
}

// name -> [CUDA version, symbol, stream variant], as cuGetProcAddress chooses among them.
ordered_json entry_points(const ordered_json& dump) {
  auto out = ordered_json::object();
  for (const auto& p : dump.at("pfn")) {
    ordered_json choice{p.at("v"), p.at("symbol")};
    if (p.contains("stream")) choice.push_back(p.at("stream"));
    out[p.at("api").get<std::string>()].push_back(std::move(choice));
  }
  return out;
}

// What drivers export and cuda.h does not declare.
ordered_json drivers(const ordered_json& dump) {
  auto out = ordered_json::object();
  for (const auto& [branch, library] : dump.at("meta").at("libs").items()) {
    auto undeclared = ordered_json::array();
    for (const auto& [symbol, where] : dump.at("lib_only_symbols").items())
      for (const auto& in : where.at("libs"))
        if (in == branch) undeclared.push_back(symbol);
    out[branch] = {{"version", library.at("version")},
                   {"symbols", library.at("symbols")},
                   {"undeclared", undeclared},
                   {"objects", library.at("data_symbols")}};
  }
  return out;
}

}  // namespace

std::string import_cuda(const fs::path& dump_file, const fs::path& facts) {
  try {
    const auto dump = read(dump_file);
    fs::create_directories(facts);
    const auto all = functions(dump);
    write(facts / "functions.json", all);
    write(facts / "enums.json", enums(dump));
    write(facts / "structs.json", structs(dump));
    write(facts / "types.json", types(dump));
    write(facts / "entry_points.json", entry_points(dump));
    write(facts / "drivers.json", drivers(dump));
    return fmt::format("cuda.h {}: {} functions\n", dump.at("meta").at("cuda_version").get<int>(), all.size());
  } catch (const nlohmann::json::exception& e) {
    throw RegistryError(dump_file.string(), e.what());
  }
}

}  // namespace nvmlgen
