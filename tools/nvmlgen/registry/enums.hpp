// Scoped enums and sets of flags of the bindings, typed. Read from registry/semantics/values/enums.yaml.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "registry/facts.hpp"

namespace nvmlgen {

struct Enumerator {
  std::string name;      // "sm"; in C++ identifier(name)
  std::string constant;  // "NVML_CLOCK_SM"; empty where C only documents the number
  std::int64_t value = 0;
};

struct EnumType {
  std::string name;    // "Clock"
  std::string flags;   // of bits that go together: the name of their set; empty otherwise
  std::string doc;     // one sentence
  std::string c_type;  // "nvmlClockType_t"; empty for constants that plain integers take
  std::string integer = "unsigned int";
  std::string by_hand;  // the method that has it, where no generated one does
  std::vector<Enumerator> enumerators;

  // What a method takes or answers: the set, where there is one.
  const std::string& used_as() const { return flags.empty() ? name : flags; }
};

// The number as the enum's own integer type writes it: 4294967295, not -1, where that is unsigned.
std::string enumerator_number(const EnumType& type, const Enumerator& enumerator);

// True for NVML_CLOCK_COUNT and NVML_POWER_PROFILE_MAX, which say how many values there are.
bool counts_values(const Enum& e, const std::string& name, std::int64_t value);

// Throws RegistryError for an unknown key, type or constant, for names that clash, and for types without enumerators.
std::vector<EnumType> load_enums(const std::filesystem::path& file, const Facts& facts);

}  // namespace nvmlgen
