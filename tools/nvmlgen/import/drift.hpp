// The difference between two headers, in the words of the people who must act on it.
#pragma once

#include <filesystem>
#include <set>

#include "facts.hpp"

namespace nvmlgen::headers {

struct FieldMove {
  std::string name;
  std::int64_t old_off, old_size, new_off, new_size;
};

struct LayoutDrift {
  std::string name;
  std::int64_t old_size = 0, new_size = 0;
  std::vector<std::string> added, removed;
  std::vector<FieldMove> moved;
  std::vector<std::string> retyped;  ///< "name (old type -> new type)": same place, other type
  /// Retyped fields alone leave the layout as it is.
  bool layout_differs() const { return old_size != new_size || !added.empty() || !removed.empty() || !moved.empty(); }
  bool any() const { return layout_differs() || !retyped.empty(); }
  LayoutChange change() const;
};
LayoutDrift compare_layouts(const std::string& name, const Struct& before, const Struct& after);

struct Changed {
  std::string name, before, after;
};

struct NameDrift {
  std::vector<std::string> added, gone;
};

struct Drift {
  std::string before, after;  ///< header versions, `before` is empty for an empty registry
  std::size_t functions_before = 0, functions_after = 0;
  NameDrift functions, structs, enums, constants, types;
  std::vector<Changed> signatures, values, aliases, deprecated;
  std::vector<LayoutDrift> layouts;
  std::vector<std::string> missing_semantics;
  std::string note;  ///< what the import does besides, for an older header

  bool empty() const;
};

/// What changes from `before` to `after`.
Drift compare(const Api& before, const Api& after);

/// Functions of `api` that no YAML file below `semantics` has as a key; nothing when the folder is missing.
std::vector<std::string> missing_semantics(const Api& api, const std::filesystem::path& semantics);

/// Stable, readable text.
std::string to_text(const Drift& drift);

}  // namespace nvmlgen::headers
