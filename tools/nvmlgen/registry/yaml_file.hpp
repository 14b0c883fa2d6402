// Reading a YAML file of the registry: what is refused is told with its file and line.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>

#include "registry/error.hpp"

namespace nvmlgen {

// What is wrong in a file, until it is known which one that is.
struct Mistake {
  int line;
  std::string text;
};

[[noreturn]] inline void fail(const YAML::Node& node, const std::string& text) {
  throw Mistake{node.Mark().line + 1, text};
}

// Calls use(document) and names the file and the line of what it refuses.
template <class Use>
void read_yaml(const std::filesystem::path& file, Use use) {
  try {
    use(YAML::LoadFile(file.string()));
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  } catch (const Mistake& mistake) {
    throw RegistryError(file.string() + ":" + std::to_string(mistake.line), mistake.text);
  }
}

}  // namespace nvmlgen
