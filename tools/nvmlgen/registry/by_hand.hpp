// Functions whose method is written by hand. Read from registry/semantics/values/by_hand.yaml.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "registry/facts.hpp"

namespace nvmlgen {

using ByHand = std::map<std::string, std::string>;  // nvmlDeviceSetMigMode -> Device::set_mig_mode

// Throws RegistryError for a name that is no function.
ByHand load_by_hand(const std::filesystem::path& file, const Facts& facts);

}  // namespace nvmlgen
