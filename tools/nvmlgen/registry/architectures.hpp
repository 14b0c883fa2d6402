// Traits of architectures, typed. Read from registry/semantics/values/architectures.yaml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "registry/model.hpp"

namespace nvmlgen {

struct Chip {
  std::string name;
  std::int64_t architecture = 0;  // NVML_DEVICE_ARCH_*
  unsigned major = 0, minor = 0;  // compute capability
};

struct Trait {
  std::string name, doc;
  std::int64_t from = 0;                   // the first architecture that has it
  std::vector<std::string> also, without;  // names of chips
};

struct Architectures {
  std::vector<Chip> chips;
  std::vector<Trait> traits;
};

// The architectures are the words of the model's enum. Throws RegistryError.
Architectures load_architectures(const std::filesystem::path& file, const Model& model);

}  // namespace nvmlgen
