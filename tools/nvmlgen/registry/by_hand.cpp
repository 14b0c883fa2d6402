#include "registry/by_hand.hpp"

#include <yaml-cpp/yaml.h>

#include "registry/error.hpp"

namespace nvmlgen {

ByHand load_by_hand(const std::filesystem::path& file, const Facts& facts) {
  ByHand by_hand;
  try {
    for (const auto& item : YAML::LoadFile(file.string())) {
      const auto name = item.first.as<std::string>();
      const auto where = file.string() + ":" + std::to_string(item.first.Mark().line + 1);
      if (!facts.function(name)) throw RegistryError(where, name + " is no function");
      if (!by_hand.emplace(name, item.second.as<std::string>()).second) throw RegistryError(where, name + " twice");
    }
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  }
  return by_hand;
}

}  // namespace nvmlgen
