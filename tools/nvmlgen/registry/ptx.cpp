#include "registry/ptx.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "registry/error.hpp"

namespace nvmlgen::ptx {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const YAML::Node& at, const std::string& what) {
  throw RegistryError(file.string() + ":" + std::to_string(at.Mark().line + 1), what);
}

std::vector<std::string> expanded(const YAML::Node& names, const YAML::Node& groups) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (const auto& name : names) {
    const auto word = name.as<std::string>();
    if (const auto group = groups[word])
      for (const auto& member : group) add(member.as<std::string>());
    else
      add(word);
  }
  return out;
}

Instruction instruction_of(const fs::path& file, const YAML::Node& name, const YAML::Node& node,
                           const YAML::Node& root) {
  Instruction out;
  out.name = name.as<std::string>();
  for (const auto& item : node) {
    const auto key = item.first.as<std::string>();
    if (key == "by") {
      out.decoder = item.second.as<std::string>();
    } else if (key == "words") {
      out.words = expanded(item.second, root["words"]);
    } else if (key == "types") {
      out.types = expanded(item.second, root["types"]);
    } else if (key == "operands") {
      const bool is_range = item.second.IsSequence();
      out.least_operands = (is_range ? item.second[0] : item.second).as<unsigned>();
      out.most_operands = (is_range ? item.second[1] : item.second).as<unsigned>();
    } else {
      fail(file, item.first, "unknown key '" + key + "': expected by, words, types or operands");
    }
  }
  if (out.decoder.empty() || !node["operands"]) fail(file, name, out.name + " needs 'by' and 'operands'");
  if (out.least_operands > out.most_operands) fail(file, name, out.name + ": more operands at least than at most");
  return out;
}

// "8.0" and "sm_90a" as numbers.
Need need_of(const fs::path& file, const YAML::Node& row) {
  Need out;
  const auto version = row["version"].as<std::string>(), target = row["target"].as<std::string>();
  const auto dot = version.find('.');
  if (dot == std::string::npos || !target.starts_with("sm_")) fail(file, row, "expected a version and a target");
  out.version = 10 * std::stoi(version) + std::stoi(version.substr(dot + 1));
  std::size_t digits = 0;
  out.architecture = std::stoi(target.substr(3), &digits);
  out.exact = target.size() > 3 + digits;
  return out;
}

void add_needs(const fs::path& file, const YAML::Node& rows, std::vector<Instruction>& instructions) {
  for (const auto& row : rows)
    for (const auto& statement : row["of"]) {
      auto need = need_of(file, row);
      auto rest = statement.as<std::string>();
      const auto name = rest.substr(0, rest.find('.'));
      const auto of =
          std::find_if(instructions.begin(), instructions.end(), [&](const auto& i) { return i.name == name; });
      if (of == instructions.end()) fail(file, statement, "no instruction " + name);
      while (rest.find('.') != std::string::npos) {
        rest = rest.substr(rest.find('.') + 1);
        need.words.push_back(rest.substr(0, rest.find('.')));
        const auto is_known = [&](const std::vector<std::string>& list) {
          return std::find(list.begin(), list.end(), need.words.back()) != list.end();
        };
        if (!is_known(of->words) && !is_known(of->types))
          fail(file, statement, name + " takes no ." + need.words.back());
      }
      of->needs.push_back(std::move(need));
    }
}

// A name stands either among the simulated ones or here.
NotSimulated not_simulated(const fs::path& file, const YAML::Node& node, const std::vector<Instruction>& simulated) {
  NotSimulated out;
  const auto read = [&](const char* key, std::vector<std::string>& names, auto is_simulated) {
    for (const auto& name : node[key]) {
      names.push_back(name.as<std::string>());
      if (is_simulated(names.back())) fail(file, name, names.back() + " is simulated");
    }
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) fail(file, node[key], *twice + " twice");
  };
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  read("instructions", out.instructions, [&](const std::string& name) {
    return std::any_of(simulated.begin(), simulated.end(), [&](const auto& i) { return i.name == name; });
  });
  read("words", out.words, [&](const std::string& name) {
    return std::all_of(simulated.begin(), simulated.end(),
                       [&](const auto& i) { return has(i.words, name) || has(i.types, name); });
  });
  return out;
}

}  // namespace

InstructionSet load(const fs::path& file) {
  InstructionSet out;
  auto& all = out.instructions;
  try {
    const auto root = YAML::LoadFile(file.string());
    for (const auto& item : root["instructions"]) all.push_back(instruction_of(file, item.first, item.second, root));
    add_needs(file, root["needs"], all);
    out.others = not_simulated(file, root["not_simulated"], all);
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string(), e.what());
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice != all.end()) throw RegistryError(file.string(), twice->name + " twice");
  return out;
}

}  // namespace nvmlgen::ptx
