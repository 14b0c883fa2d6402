#include "registry/cuda.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "registry/cuda_holes.hpp"
#include "registry/error.hpp"

namespace nvmlgen::cuda {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

// The driver whose symbols the library exports.
constexpr const char* kBranch = "550";

ordered_json read(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw RegistryError(file.string(), "cannot be read");
  return ordered_json::parse(in);
}

void load_functions(const fs::path& facts, Registry& registry) {
  for (const auto& j : read(facts / "functions.json")) {
    const auto& drivers = j.at("drivers");
    Function f;
    f.newer = std::find(drivers.begin(), drivers.end(), kBranch) == drivers.end();
    f.name = j.at("name");
    f.group = j.value("group", "");
    f.stream = j.value("stream", "");
    f.deprecated = j.value("deprecated", false);
    for (const auto& p : j.at("params")) f.params.push_back({p.at(0), p.at(1)});
    registry.functions.push_back(std::move(f));
  }
  const auto drivers = read(facts / "drivers.json");
  for (const auto& symbol : drivers.at(kBranch).at("undeclared")) {
    Function f;
    f.name = symbol;
    f.declared = false;
    if (f.name.ends_with("_ptds") || f.name.ends_with("_ptsz")) f.stream = f.name.substr(f.name.size() - 4);
    registry.functions.push_back(std::move(f));
  }
  const auto undeclared = read(facts / "undeclared.json");
  for (const auto& symbol : drivers.at(kBranch).at("objects"))
    registry.objects[symbol] = undeclared.at("objects").at(symbol.get<std::string>());
  for (const auto& points : {read(facts / "entry_points.json"), undeclared.at("functions")})
    for (const auto& [name, choices] : points.items())
      for (const auto& c : choices) registry.entry_points[name].push_back({c.at(0), c.at(1), c.size() > 2});
}

void load_types(const fs::path& facts, Registry& registry) {
  const auto enums = read(facts / "enums.json");
  for (const auto& [name, j] : enums.items()) {
    Enum e{name, j.value("tag", ""), j.at("underlying"), j.value("aliases", std::vector<std::string>{}), {}};
    for (const auto& [value, number] : j.at("values").items()) e.values.emplace_back(value, number.get<std::int64_t>());
    registry.enums.push_back(std::move(e));
  }
  const auto structs = read(facts / "structs.json");
  for (const auto& [name, j] : structs.items()) {
    Struct s{name, j.value("tag", ""), j.value("aliases", std::vector<std::string>{}), j.at("size"), {}};
    for (const auto& f : j.value("fields", ordered_json::array())) {
      Field field{f.at(0), f.at(1), f.at(2), {}};
      for (std::size_t i = 3; i < f.size(); ++i) field.dims.push_back(f.at(i));
      s.fields.push_back(std::move(field));
    }
    registry.structs.push_back(std::move(s));
  }
  const auto types = read(facts / "types.json");
  for (const auto& [name, tag] : types.at("handles").items()) registry.handles.emplace_back(name, tag);
  for (const auto& [name, type] : types.at("typedefs").items()) registry.typedefs.emplace_back(name, type);
  for (const auto& [name, j] : types.at("callbacks").items()) {
    std::string params;
    for (const auto& p : j.at("params")) params += (params.empty() ? "" : ", ") + p.get<std::string>();
    registry.callbacks.emplace_back(name, j.at("ret").get<std::string>() + " (*)(" + params + ")");
  }
}

[[noreturn]] void fail(const fs::path& file, const YAML::Node& at, const std::string& what) {
  throw RegistryError(file.string() + ":" + std::to_string(at.Mark().line + 1), what);
}

Needs needs_of(const fs::path& file, const YAML::Node& node) {
  const auto word = node.as<std::string>();
  if (word == "nothing") return Needs::nothing;
  if (word == "init") return Needs::init;
  if (word == "context") return Needs::context;
  fail(file, node, "needs: expected nothing, init or context, got '" + word + "'");
}

Semantics answer_of(const fs::path& file, const YAML::Node& node) {
  Semantics s;
  s.answer = Answer::code;
  s.needs = Needs::context;
  for (const auto& item : node) {
    const auto key = item.first.as<std::string>();
    if (key == "doc")
      s.doc = item.second.as<std::string>();
    else if (key == "needs")
      s.needs = needs_of(file, item.second);
    else if (key == "optional")
      for (const auto& name : item.second) s.optional.insert(name.as<std::string>());
    else
      fail(file, item.first, "unknown key '" + key + "'");
  }
  if (s.doc.empty()) fail(file, node, "no doc");
  return s;
}

void load_semantics(const fs::path& file, Registry& registry) {
  const auto subject = file.stem().string();
  registry.subjects.push_back(subject);
  const auto add = [&](const YAML::Node& name, Semantics s) {
    s.subject = subject;
    if (!registry.semantics.emplace(name.as<std::string>(), std::move(s)).second)
      fail(file, name, name.as<std::string>() + " twice");
  };
  for (const auto& part : YAML::LoadFile(file.string())) {
    const auto key = part.first.as<std::string>();
    if (key == "answers") {
      for (const auto& item : part.second) add(item.first, answer_of(file, item.second));
    } else if (key == "refused" || key == "later") {
      for (const auto& reason : part.second)
        for (const auto& name : reason.second) {
          Semantics s;
          s.answer = key == "later" ? Answer::later : Answer::refused;
          s.reason = reason.first.as<std::string>();
          add(name, std::move(s));
        }
    } else {
      fail(file, part.first, "unknown key '" + key + "': expected answers, refused or later");
    }
  }
}

// Of the functions that came after the branch, the library has those that somebody wrote an answer for and that
// cuGetProcAddress reaches.
void forget_unanswered(Registry& registry) {
  std::set<std::string> reached;
  for (const auto& [name, choices] : registry.entry_points)
    for (const auto& choice : choices) reached.insert(choice.symbol);
  std::erase_if(registry.functions, [&](const auto& f) {
    return f.newer && !(registry.semantics.count(f.base()) && reached.count(f.name));
  });
}

// "13.0" as 13000.
int cuda_version(const fs::path& file, const YAML::Node& node) {
  const auto text = node.as<std::string>();
  const auto dot = text.find('.');
  if (dot == std::string::npos) fail(file, node, "expected a version of CUDA as 13.0, got '" + text + "'");
  return 1000 * std::stoi(text) + 10 * std::stoi(text.substr(dot + 1));
}

Attribute attribute_of(const fs::path& file, const std::string& name, const YAML::Node& node) {
  Attribute a;
  a.name = "CU_DEVICE_ATTRIBUTE_" + name;
  if (node.IsScalar()) {
    a.value = node.as<std::int64_t>();
    return a;
  }
  for (const auto& item : node) {
    const auto key = item.first.as<std::string>();
    if (key == "field")
      a.field = item.second.as<std::string>();
    else if (key == "times")
      a.times = item.second.as<std::int64_t>();
    else if (key == "code")
      a.code = item.second.as<std::string>();
    else if (key == "later")
      a.later = item.second.as<std::string>();
    else if (key == "value")
      a.value = item.second.as<std::int64_t>();
    else if (key == "since")
      a.since = cuda_version(file, item.second);
    else if (key == "capability")
      for (const auto& entry : item.second) {
        const auto text = entry.first.as<std::string>();
        const auto dot = text.find('.');
        if (dot == std::string::npos)
          fail(file, entry.first, "expected a compute capability as 9.0, got '" + text + "'");
        a.by_capability[10 * std::stoi(text) + std::stoi(text.substr(dot + 1))] = entry.second.as<std::int64_t>();
      }
    else
      fail(file, item.first, "unknown key '" + key + "'");
  }
  return a;
}

void load_attributes(const fs::path& file, Registry& registry) {
  const auto root = YAML::LoadFile(file.string());
  const auto& numbers = registry.enumeration("CUdevice_attribute").values;
  std::set<std::int64_t> answered;
  std::string missing;
  for (const auto& item : root["attributes"]) {
    auto a = attribute_of(file, item.first.as<std::string>(), item.second);
    const auto at = std::find_if(numbers.begin(), numbers.end(), [&](const auto& n) { return n.first == a.name; });
    if (at == numbers.end()) fail(file, item.first, a.name + " is no attribute");
    a.number = at->second;
    if (!answered.insert(a.number).second) fail(file, item.first, a.name + " is answered twice");
    registry.attributes.push_back(std::move(a));
  }
  for (const auto& [name, number] : numbers)
    if (!answered.count(number) && !name.ends_with("_MAX")) missing += " " + name;
  if (!missing.empty()) throw RegistryError(file.string(), "no answer for" + missing);
  std::sort(registry.attributes.begin(), registry.attributes.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
}

}  // namespace

std::string Param::base() const {
  std::string out = type;
  if (out.starts_with("const ")) out.erase(0, 6);
  out.erase(std::remove(out.begin(), out.end(), '*'), out.end());
  while (out.ends_with(' ') || out.ends_with("const")) out.erase(out.size() - (out.ends_with(' ') ? 1 : 5));
  return out;
}

bool Struct::is_called(const std::string& word) const {
  return name == word || std::find(aliases.begin(), aliases.end(), word) != aliases.end();
}

const Enum& Registry::enumeration(const std::string& name) const {
  for (const auto& e : enums)
    if (e.name == name) return e;
  throw RegistryError("registry/cuda/facts/enums.json", "no enum " + name);
}

const Struct* Registry::structure(const std::string& name) const {
  for (const auto& s : structs)
    if (s.is_called(name)) return &s;
  return nullptr;
}

Registry load(const fs::path& directory, const Model& model) {
  Registry registry;
  try {
    load_functions(directory / "facts", registry);
    load_types(directory / "facts", registry);
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(directory / "semantics")) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) load_semantics(file, registry);
    forget_unanswered(registry);
    load_attributes(directory / "attributes.yaml", registry);
    for (const auto& item : YAML::LoadFile((directory / "errors.yaml").string()))
      registry.errors[item.first.as<std::string>()] = item.second.as<std::string>();
  } catch (const nlohmann::json::exception& e) {
    throw RegistryError(directory.string(), e.what());
  } catch (const YAML::Exception& e) {
    throw RegistryError(directory.string(), e.what());
  }
  registry.runtime = load_runtime(directory);
  refuse_holes(registry, model);
  return registry;
}

}  // namespace nvmlgen::cuda
