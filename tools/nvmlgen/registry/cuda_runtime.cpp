#include "registry/cuda_runtime.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "registry/error.hpp"

namespace nvmlgen::cuda {
namespace {

namespace fs = std::filesystem;

nlohmann::json read_json(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw RegistryError(file.string(), "cannot be read");
  return nlohmann::json::parse(in);
}

std::vector<RuntimeFunction> load_declared(const fs::path& file) {
  std::vector<RuntimeFunction> out;
  for (const auto& j : read_json(file)) {
    RuntimeFunction f{j.at("name"), j.at("versions"), {}};
    for (const auto& p : j.at("params")) {
      RuntimeParam param{p.at(0), p.at(1)};
      if (p.size() > 2 && p.at(2).is_number()) param.struct_size = p.at(2);
      param.is_callback = p.size() > 2 && p.at(2).is_string();
      f.params.push_back(std::move(param));
    }
    out.push_back(std::move(f));
  }
  return out;
}

// Marks the parameter in every signature; whether there is one.
bool mark_optional(std::vector<RuntimeFunction>& functions, const std::string& function, const std::string& param) {
  bool found = false;
  for (auto& f : functions)
    if (f.name == function || f.name == function + "_ptsz" || f.name == function + "_ptds")
      for (auto& p : f.params)
        if (p.name == param) p.may_be_null = found = true;
  return found;
}

std::vector<RuntimeFunction> load_undeclared(const YAML::Node& list) {
  std::vector<RuntimeFunction> out;
  for (const auto& item : list) {
    RuntimeFunction f{item["name"].as<std::string>(), item["versions"].as<std::vector<std::string>>(), {}};
    for (const auto& p : item["params"]) f.params.push_back({p[0].as<std::string>(), p[1].as<std::string>()});
    out.push_back(std::move(f));
  }
  return out;
}

// One name, or a list of them.
std::vector<std::string> names_of(const YAML::Node& node) {
  return node.IsSequence() ? node.as<std::vector<std::string>>() : std::vector{node.as<std::string>()};
}

// What the functions of src/driver/cudart look like, and which of them are generated.
void load_code(const YAML::Node& root, Runtime& runtime) {
  runtime.undeclared = load_undeclared(root["undeclared"]);
  for (const auto& item : root["types"]) runtime.types[item.first.as<std::string>()] = item.second.as<std::string>();
  for (const auto& item : root["returns"])
    runtime.returns[item.first.as<std::string>()] = item.second.as<std::string>();
  for (const auto& item : root["driver_functions"])
    runtime.driver_functions[item.first.as<std::string>()] = names_of(item.second);
  for (const auto& item : root["own_variants"]) runtime.own_variants.insert(item.as<std::string>());
}

}  // namespace

const std::string* Runtime::why_unsupported(const std::string& name) const {
  for (const auto& [reason, names] : unsupported)
    if (std::find(names.begin(), names.end(), name) != names.end()) return &reason;
  return nullptr;
}

Runtime load_runtime(const fs::path& directory) {
  const auto file = directory / "runtime.yaml";
  try {
    Runtime runtime{load_declared(directory / "facts" / "runtime.json"),
                    read_json(directory / "facts" / "runtime_exports.json"),
                    {},
                    {},
                    {},
                    {},
                    {},
                    {}};
    const auto root = YAML::LoadFile(file.string());
    for (const auto& item : root["unsupported"])
      runtime.unsupported.push_back({item.first.as<std::string>(), item.second.as<std::vector<std::string>>()});
    for (const auto& [reason, names] : runtime.unsupported)
      for (const auto& name : names)
        if (!runtime.exports.count(name)) throw RegistryError(file.string(), name + " is exported by no runtime");
    load_code(root, runtime);
    for (const auto& [name, of_driver] : runtime.driver_functions)
      if (!runtime.exports.count(name)) throw RegistryError(file.string(), name + " is exported by no runtime");
    for (const auto& item : root["may_be_null"])
      for (const auto& param : item.second)
        if (!mark_optional(runtime.functions, item.first.as<std::string>(), param.as<std::string>()))
          throw RegistryError(file.string() + ":" + std::to_string(param.Mark().line + 1),
                              item.first.as<std::string>() + " has no parameter " + param.as<std::string>());
    return runtime;
  } catch (const nlohmann::json::exception& e) {
    throw RegistryError((directory / "facts").string(), e.what());
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string(), e.what());
  }
}

}  // namespace nvmlgen::cuda
