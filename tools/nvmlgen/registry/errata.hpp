// Deviations of drivers from the newest header, typed. Read from registry/semantics/values/errata.yaml.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "registry/facts.hpp"
#include "registry/field_ids.hpp"

namespace nvmlgen {

// Above every id of NVIDIA, so that one is not taken for the other.
inline constexpr std::int64_t kFirstFieldNumber = 1001;

struct Erratum {
  std::string id;
  std::string what;
  std::string handled;
  std::string source;
  std::string from;    // first driver that has it; empty = any
  std::string before;  // first driver that no longer has it; empty = none
  std::string numbering;
  std::map<std::string, std::string> structs;
  // Of a numbering: fields whose id on the wire is another one, or that such a driver does not have (empty).
  std::map<std::string, std::optional<std::int64_t>> wire;
};

struct Errata {
  std::vector<Erratum> list;                   // in the order of the file
  std::map<std::string, std::int64_t> fields;  // NVML_FI_... -> our own number; aliases left out
};

// Throws RegistryError for a drift of the facts that no erratum names, an erratum that the facts do not confirm, and a
// field id without a number of its own.
Errata load_errata(const std::filesystem::path& directory, const Facts& facts, const FieldIds& fields);

// "580.82" as {580, 82, 0}; throws for anything else.
std::vector<int> driver_version(const std::string& text, const std::string& where);

}  // namespace nvmlgen
