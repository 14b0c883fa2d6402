// Functions whose method is written by hand. Read from registry/semantics/values/by_hand.yaml.
#pragma once

#include <filesystem>

#include "registry/semantics.hpp"

namespace nvmlgen {

// Sets FunctionSemantics::by_hand. Throws RegistryError for a name that is no function.
void load_by_hand(const std::filesystem::path& file, Semantics& semantics);

}  // namespace nvmlgen
