// The facts of headers and drivers, typed. Read from registry/facts/*.json, which only `nvmlgen import` writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nvmlgen {

// What a parameter's pointee (or the parameter itself, at ptr == 0) is.
enum class Kind { integer, enumeration, structure, handle, character };

struct Param {
  std::string name;
  std::string type;   // as spelled: "unsigned int *"
  std::string canon;  // after typedefs: "enum nvmlReturn_enum *"; equals `type` when the facts leave it out
  std::string base;   // pointee as spelled, without const
  int ptr = 0;
  Kind kind = Kind::integer;
  bool is_const() const { return type.rfind("const ", 0) == 0; }
};

struct Function {
  std::string name;  // nvmlDeviceGetName
  std::string ret;
  std::vector<Param> params;
  std::string group;  // the header's documentation group
  std::string guard;  // declared only when this macro is defined
  bool deprecated = false;
  std::string first_seen;                // first header version that declares it
  std::vector<std::string> returns;      // documented return codes
  std::vector<std::string> exported_by;  // driver branches
  bool library_only = false;             // exported by drivers, declared by no header

  std::string stem() const { return name.substr(4); }  // DeviceGetName
  const Param* find(const std::string& param) const;
};

struct Field {
  std::string name;  // empty for a nameless union
  std::string type;  // "struct{}" / "union{}" for a nested tagless aggregate
  std::vector<std::int64_t> dims;
  std::size_t offset = 0;  // relative to the enclosing aggregate
  std::size_t size = 0;
  std::vector<Field> fields;
};

struct Struct {
  std::string name;
  std::vector<std::string> aliases;
  bool is_union = false;
  std::size_t size = 0;
  std::size_t align = 0;
  std::string versioned;                               // "macro", "small", "data" or empty
  std::map<std::string, std::uint64_t> version_macro;  // macro name -> value of the version field
  std::string group;
  std::string first_seen;
  std::vector<Field> fields;
  const Field* find(const std::string& field) const;
};

struct Enum {
  std::string name;
  std::string underlying;
  std::vector<std::pair<std::string, std::int64_t>> values;  // header order
};

struct Constant {
  std::string name;
  std::string type;  // "int", "unsigned int", "long long", "char*", ...
  std::int64_t number = 0;
  std::string text;
  std::string group;
};

struct Typedef {
  std::string name;
  std::string type;
};

struct StructVersion {
  std::string structure;
  unsigned version = 0;
  std::uint32_t tag = 0;  // what the caller writes into the version field
};

struct Facts {
  std::vector<Function> functions;
  std::vector<Struct> structs;
  std::vector<Enum> enums;
  std::vector<Constant> constants;
  std::vector<std::string> handles;  // opaque pointer types
  std::vector<Typedef> typedefs;
  std::map<std::string, std::string> function_aliases;   // plain name -> what the header maps it to
  std::map<std::string, StructVersion> struct_versions;  // macro -> version
  std::map<std::string, std::set<std::string>> exports;  // driver branch -> symbols
  std::string newest_header;
  // Drift between headers, oldest first. What is not in here never changed.
  std::vector<std::string> headers;
  std::map<std::string, std::vector<std::pair<std::string, std::int64_t>>> constant_changes;  // {from header, value}
  std::map<std::string, std::vector<std::pair<std::string, std::size_t>>>
      struct_sizes;  // {from header, size or 0 = gone}

  const Function* function(const std::string& name) const;
  const Struct* structure(const std::string& name) const;  // by name or alias
  const Enum* enumeration(const std::string& name) const;
  bool is_handle(const std::string& type) const;
  const Typedef* type_definition(const std::string& name) const;
  // The value of a constant or enumerator, by its full name.
  std::optional<std::int64_t> value(const std::string& name) const;
  // What a caller writes into a version field: a version macro, or a plain number's constant.
  std::optional<std::uint32_t> version_tag(const std::string& macro) const;
  // Position in `headers`; nothing for a header that the facts do not know.
  std::optional<std::size_t> header_index(const std::string& header) const;
};

// Throws RegistryError naming file and key.
Facts load_facts(const std::filesystem::path& directory);

}  // namespace nvmlgen
