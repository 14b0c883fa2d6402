#include "registry/by_hand.hpp"

#include <yaml-cpp/yaml.h>

#include "registry/error.hpp"

namespace nvmlgen {

void load_by_hand(const std::filesystem::path& file, Semantics& semantics) {
  try {
    for (const auto& item : YAML::LoadFile(file.string())) {
      const auto name = item.first.as<std::string>();
      const auto where = file.string() + ":" + std::to_string(item.first.Mark().line + 1);
      const auto entry = semantics.functions.find(name);
      if (entry == semantics.functions.end()) throw RegistryError(where, name + " is no function");
      if (!entry->second.by_hand.empty()) throw RegistryError(where, name + " twice");
      if (!entry->second.provisional.empty())
        throw RegistryError(where, name + " is provisional, so that it has no method");
      entry->second.by_hand = item.second.as<std::string>();
    }
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  }
}

}  // namespace nvmlgen
