// What one nvml.h declares, as plain values. The same types hold the registry's view of the newest header.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nvmlgen::headers {

/// Anything that stops an import: one line, fit for stderr.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Names with values in the order of the header.
template <class T>
using Ordered = std::vector<std::pair<std::string, T>>;

template <class T>
const T* find(const Ordered<T>& list, std::string_view name) {
  for (const auto& [key, value] : list)
    if (key == name) return &value;
  return nullptr;
}

struct Param {
  std::string name;
  std::string type;   ///< as spelled
  std::string canon;  ///< canonical spelling, always set (the file omits it when equal to `type`)
  int ptr = 0;        ///< number of `*` as spelled
  std::string base;   ///< pointee as spelled, without const
  std::string kind;   ///< int, char, float, enum, struct, handle, void
};

struct Function {
  std::string name;
  std::string ret;
  std::vector<Param> params;
  std::optional<std::string> group;
  std::string guard;       ///< macro that must be defined for the declaration to exist
  std::string deprecated;  ///< version given by the header, empty when not deprecated
  std::string first_seen;
  std::vector<std::string> returns;  ///< documented return codes
  std::string doc_from;  ///< header version or family member that `returns` comes from, when not its own text
  std::string product;   ///< documented product range, in short form
};

struct Field {
  std::string name;  ///< empty: nameless union or struct member
  std::string type;  ///< element type as spelled, `struct{}` / `union{}` for a tagless aggregate
  std::vector<std::int64_t> dims;
  std::vector<std::string> dims_sym;  ///< dimensions as spelled, only when one of them is a name
  std::int64_t off = 0;               ///< bytes from the start of the enclosing aggregate
  std::int64_t size = 0;
  std::string kind;  ///< ptr, enum, float, handle or empty
  std::int64_t elem_size = 0;
  std::vector<Field> fields;
};

struct Struct {
  std::string name;
  std::string tag;
  bool is_union = false;
  std::vector<std::string> aliases;  ///< other typedef names
  std::int64_t size = 0;
  std::int64_t align = 0;
  Ordered<std::int64_t> version_macro;
  std::string versioned;  ///< macro, small (a plain number), data (filled by the driver) or empty
  std::optional<std::string> group;
  std::string first_seen;
  std::vector<Field> fields;
};

struct Enum {
  std::string name;
  std::string tag;
  std::int64_t size = 0;
  std::string underlying;
  std::optional<std::string> group;
  std::string first_seen;
  Ordered<std::int64_t> values;
  Ordered<std::string> late;            ///< constants added after first_seen
  std::vector<std::string> deprecated;  ///< constants documented so
};

struct Constant {
  nlohmann::json value;  ///< integer or string
  std::string type;
  std::optional<std::string> group;
  std::string since;
  std::string alias_of;
  bool deprecated = false;
};

struct Handle {
  std::string name, target;
  std::int64_t size = 0;
  std::string first_seen;
};

struct Typedef {
  std::string name, type, canon, kind;
  std::int64_t size = 0;
  std::optional<std::string> group;
};

struct StructVersion {
  std::string record;
  std::int64_t version = 0;
  std::int64_t value = 0;
};

struct FunctionMacro {
  std::vector<std::string> params;
  std::string body;
};

struct Api {
  std::string version;  ///< empty in a registry without headers
  std::vector<Function> functions;
  std::vector<Struct> structs;
  std::vector<Enum> enums;
  Ordered<Constant> constants;
  std::vector<Handle> handles;
  std::vector<Typedef> typedefs;
  Ordered<std::string> function_aliases;
  Ordered<std::string> type_aliases;
  Ordered<StructVersion> struct_versions;
  Ordered<FunctionMacro> function_macros;
  Ordered<std::string> other_macros;
};

template <class T>
const T* find(const std::vector<T>& list, std::string_view name) {
  for (const T& item : list)
    if (item.name == name) return &item;
  return nullptr;
}

/// Canonical return and parameter types: what must be equal for two declarations to be the same function.
std::vector<std::string> signature(const Api& api, const Function& function);
/// Every typedef name of a struct or union, aliases included.
std::map<std::string, const Struct*> layouts(const Api& api);
/// Every macro constant and enumerator. One flat name space, as in C.
std::map<std::string, nlohmann::json> values(const Api& api);
/// Function aliases and type aliases together.
std::map<std::string, std::string> aliases(const Api& api);

struct Family {
  std::vector<std::string> members;  ///< oldest version first
  std::string newest;
  std::string default_member;  ///< what the plain name means in C source; empty when it means itself
  std::string twin;            ///< the `V` suffixed function that takes a versioned struct
  bool first_missing = false;  ///< neither the plain name nor _v1 is declared
};
/// `nvmlX_v3` -> {"nvmlX", 3}; a name without suffix is version 1.
std::pair<std::string, int> split_version(std::string_view name);
/// Functions with versions or a V twin, by plain name.
std::map<std::string, Family> families(const Api& api);

/// Orders dotted versions by number: 11.8.86 < 12.0.76. Negative, zero or positive.
int compare_versions(std::string_view a, std::string_view b);

}  // namespace nvmlgen::headers
