// Value types of the bindings, typed. Read from registry/semantics/values/: structs/ and enums.yaml.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "registry/enums.hpp"
#include "registry/facts.hpp"

namespace nvmlgen {

struct ValueField {
  const Field* fact = nullptr;  // of the newest struct that has it
  std::string name;             // of the C++ member
  std::string doc;
  std::string unit;         // "bool", or a unit as parameters have it
  std::string enumeration;  // of an integer: the scoped enum or set of flags that its numbers stand for
  std::string absent;       // number or constant that stands for "not available"
  std::string count;        // C field that says how many entries count
  bool hidden = false;      // no member of the value: a count, a version, reserved, or skipped with a reason
  bool key = false;         // the caller sets it
  bool optional = false;
  std::vector<ValueField> members;  // of a field that is a nameless struct
};

struct ValueType {
  std::string name;
  std::string doc;
  std::vector<std::string> structs;  // newest first
  std::vector<std::string> legacy;
  std::vector<ValueField> fields;
};

struct Values {
  std::vector<ValueType> types;  // what a type holds stands before it
  std::vector<EnumType> enums;

  const ValueType* of(const std::string& structure) const;  // the family of a C struct, legacy layouts included
  const EnumType* enum_of(const std::string& c_type) const;
  const EnumType* enum_named(const std::string& name) const;  // by the name of the set, where there is one
};

// Throws RegistryError for an unknown key, struct, field, count or parameter, and for a struct in two families.
Values load_values(const std::filesystem::path& directory, const Facts& facts);

}  // namespace nvmlgen
