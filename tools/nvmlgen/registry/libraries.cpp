#include "registry/libraries.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "registry/yaml_file.hpp"

namespace nvmlgen::libraries {
namespace {

namespace fs = std::filesystem;

int major_of(const std::string& version) { return std::stoi(version); }

void load_facts(const fs::path& file, Library& library) {
  std::ifstream in(file);
  if (!in) throw RegistryError(file.string(), "cannot be read");
  const auto facts = nlohmann::ordered_json::parse(in);
  for (const auto& j : facts.at("functions")) {
    Function f{j.at("name"), j.at("returns"), j.at("versions"), {}};
    for (const auto& p : j.at("params")) f.params.push_back({p.at(0), p.at(1)});
    auto& all = library.functions;
    const auto known = std::find_if(all.begin(), all.end(), [&](const auto& g) { return g.name == f.name; });
    if (known == all.end())
      all.push_back(std::move(f));
    else if (major_of(known->versions.back()) < major_of(f.versions.back()))
      *known = std::move(f);
  }
  for (const auto& [name, values] : facts.at("enums").items()) {
    Enum e{name, {}};
    for (const auto& [value, number] : values.items()) e.values.emplace_back(value, number);
    library.enums.push_back(std::move(e));
  }
  for (const auto& [name, layout] : facts.at("structs").items())
    library.structs.push_back({name, layout.at("size"), layout.at("align")});
  for (const auto& [symbol, versions] : facts.at("exports").items()) library.exports[symbol] = versions;
}

// Regular expressions of names, one or a list.
std::vector<std::string> patterns(const YAML::Node& node) {
  return node.IsSequence() ? node.as<std::vector<std::string>>() : std::vector{node.as<std::string>()};
}

void give(Library& library, const YAML::Node& node, const Answer& answer) {
  for (const auto& pattern : patterns(node)) {
    const std::regex names(pattern);
    int count = 0;
    for (const auto& f : library.functions) {
      if (!std::regex_match(f.name, names)) continue;
      ++count;
      if (!library.answers.emplace(f.name, answer).second) fail(node, f.name + " has two answers");
    }
    if (count == 0) fail(node, pattern + " is no function of the headers");
  }
}

// status -> condition -> patterns.
void load_first_checks(const YAML::Node& node, Library& library) {
  for (const auto& status : node)
    for (const auto& item : status.second)
      for (const auto& pattern : patterns(item.second)) {
        const std::regex names(pattern);
        const FirstCheck check{item.first.as<std::string>(), status.first.as<std::string>()};
        bool is_found = false;
        for (const auto& f : library.functions)
          if (std::regex_match(f.name, names)) is_found = true, library.first[f.name].push_back(check);
        if (!is_found) fail(item.second, pattern + " is no function of the headers");
      }
}

void load_answers(const YAML::Node& root, Library& library) {
  for (const auto& subject : root["answers"]) {
    library.subjects.push_back(subject.first.as<std::string>());
    for (const auto& item : subject.second)
      give(library, item.second, {library.subjects.back(), item.first.as<std::string>(), {}});
  }
  for (const auto& item : root["unsupported"]) give(library, item.second, {{}, {}, item.first.as<std::string>()});
  if (root["rest"])  // the reason of all others
    for (const auto& f : library.functions)
      library.answers.emplace(f.name, Answer{{}, {}, root["rest"].as<std::string>()});
  std::vector<std::string> holes;
  for (const auto& f : library.functions)
    if (!library.answers.count(f.name)) holes.push_back(f.name);
  if (!holes.empty()) fail(root, fmt::format("functions without an answer: {}", fmt::join(holes, ", ")));
}

Library load_library(const fs::path& file) {
  Library out;
  out.id = file.stem().string();
  read_yaml(file, [&](const YAML::Node& root) {
    out.name = root["library"].as<std::string>();
    out.title = root["title"].as<std::string>();
    for (const auto& release : root["releases"])
      out.releases.push_back({release.second.as<std::string>(), release.first.as<int>()});
    out.status = root["status"].as<std::string>();
    out.not_supported = root["not_supported"].as<std::string>();
    if (root["handle"]) out.handle = root["handle"].as<std::string>();
    for (const auto& name : root["unchecked_handle"]) out.unchecked_handle.push_back(name.as<std::string>());
    if (root["second_names"]) out.second_names = root["second_names"].as<std::string>();
    if (root["symbol_versions"]) out.has_symbol_versions = root["symbol_versions"].as<bool>();
    for (const auto& type : root["types"]) out.types[type.first.as<std::string>()] = type.second.as<std::string>();
    load_facts(file.parent_path() / "facts" / (out.id + ".json"), out);
    load_answers(root, out);
    load_first_checks(root["first"], out);
  });
  return out;
}

}  // namespace

bool Library::exports_in(const Function& function, const Release& release) const {
  const auto at = exports.find(function.name);
  return at != exports.end() && std::any_of(at->second.begin(), at->second.end(), [&](const auto& version) {
           return major_of(version) == release.cuda || (release.cuda == 12 && major_of(version) == 13);
         });
}

std::vector<Library> load_libraries(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Library> out;
  for (const auto& file : files) {
    try {
      out.push_back(load_library(file));
    } catch (const nlohmann::json::exception& e) {
      throw RegistryError(file.string(), e.what());
    }
  }
  return out;
}

}  // namespace nvmlgen::libraries
