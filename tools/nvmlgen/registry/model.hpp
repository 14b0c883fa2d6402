// The machine as data, typed: every field of a machine file. Read from registry/model/*.yaml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/facts.hpp"

namespace nvmlgen {

enum class ModelType {
  boolean,
  u32,
  u64,
  i32,
  i64,
  f64,
  string,
  uuid,
  pci_bus_id,
  hex32,
  hex64,
  enumeration,
  structure,
  native
};

// The spelling of a type in the registry; empty for enumeration, structure and native, which are named by another
// attribute.
std::string_view spelling(ModelType type);

struct ModelRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

struct ModelWord {
  std::string word;
  std::string constant;
  std::int64_t value = 0;
};

struct ModelEnum {
  std::string name;
  std::string nvml_type;
  std::vector<ModelWord> words;  // the first of several words for one value is the one that is written
  std::string code;              // what C++ uses it for, where no field is of it
  std::string where;             // file:line

  const ModelWord* find(std::string_view word) const;
};

// Whether time moves the value: never, while the GPU works, or always (a counter).
enum class Motion { still, value, counter };

// What a field says about which GPU, or which machine, it is.
enum class Identity {
  none,
  basis,  // other values follow from it
  own,    // of one GPU: written for each GPU, even if all agree
  key     // the same, and GPUs are found by it
};

// Whether a function shows the field: now, with a later part of the simulation, or never.
enum class Visibility { shown, later, inert };

struct ModelField {
  std::string name;
  ModelType type = ModelType::u32;  // of the value, or of a list's items
  std::string reference;            // name of the enum, struct or C++ type
  bool list = false;
  std::size_t max_items = 0;
  std::size_t capacity = 0;  // of texts: bytes, with the terminating NUL
  std::string unit;
  std::string doc;
  std::optional<ModelRange> range;
  std::optional<std::string> default_text;  // scalars only
  std::vector<std::string> words;           // allowed texts; empty = any
  bool required = false;
  bool quoted = false;  // numbers may stand in quotes
  Motion motion = Motion::still;
  Identity identity = Identity::none;
  bool handled_by_reader = false;  // no C++ member
  std::string include;             // of native fields: the header that defines `reference`
  Visibility visibility = Visibility::shown;
  std::string visibility_note;  // which part it waits for, or why nothing shows it
  std::string where;            // file:line

  bool is_text() const { return type == ModelType::string || type == ModelType::uuid; }
  bool is_struct() const { return type == ModelType::structure; }
  // Live state, a struct written by hand in C++: no key of a machine file, and nothing the descriptors look into.
  bool is_native() const { return type == ModelType::native; }
};

struct ModelStruct {
  std::string name;
  std::string doc;
  std::vector<ModelField> fields;
  std::string where;

  const ModelField* find(std::string_view field) const;
};

struct ModelLeaf {
  std::string path;  // "gpu.power.limit_mw"; items of a list: "gpu.processes[].pid"
  const ModelField* field = nullptr;
};

class Model {
 public:
  std::vector<ModelEnum> enums;
  std::vector<ModelStruct> structs;  // each behind those that it contains

  const ModelEnum* enumeration(std::string_view name) const;
  const ModelStruct* structure(std::string_view name) const;
  std::size_t index_of_structure(std::string_view name) const;
  std::size_t index_of_enumeration(std::string_view name) const;

  // The field at a path that starts with "gpu" or a top-level key; "[]" behind lists may be left out. Null if there is
  // none. Finds structs and lists as well as leaves.
  const ModelField* find(std::string_view path) const;

  // The paths below a GPU that time moves, without "gpu.", in the order of the registry.
  std::vector<ModelLeaf> live() const;

  // Every path that holds a value, in the order of the registry: those of the host, then those of a GPU.
  std::vector<ModelLeaf> leaves() const;
};

// Throws RegistryError naming file:line for every kind of hole: unknown type or attribute, missing struct or doc,
// duplicate field, constant that the facts lack, default that the field would refuse.
Model load_model(const std::filesystem::path& directory, const Facts& facts);

}  // namespace nvmlgen
