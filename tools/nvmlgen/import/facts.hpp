// The registry's facts: the newest header as it is, older ones as history, and what driver libraries export.
#pragma once

#include <filesystem>

#include "api.hpp"
#include "timeline.hpp"

namespace nvmlgen::headers {

/// A function or type that some header declared and the newest does not.
struct Removed {
  std::string first_seen, last_seen;
  std::vector<std::string> signature;    ///< functions: canonical types, as last seen
  std::vector<std::string> exported_by;  ///< functions: driver branches
  std::string kind;                      ///< types: handle, enum or typedef
};

struct LayoutChange {
  std::int64_t size = 0;
  std::vector<std::string> added, removed, moved_or_resized;
  bool has_details() const { return !added.empty() || !removed.empty() || !moved_or_resized.empty(); }
  /// Whether this continues `before`: history keeps sizes and differences, not whole old layouts.
  bool operator==(const LayoutChange& before) const {
    return size == before.size && (!has_details() || (added == before.added && removed == before.removed &&
                                                      moved_or_resized == before.moved_or_resized));
  }
};

inline LayoutChange restated(const LayoutChange& change) { return {change.size, {}, {}, {}}; }

struct History {
  std::vector<std::string> headers;  ///< oldest first
  Ordered<Removed> removed_functions;
  Ordered<Removed> removed_types;
  std::map<std::string, std::size_t> functions_per_header;
  // Only names whose value changed or went are listed; all others have had their present value since first_seen.
  std::map<std::string, Timeline<LayoutChange>> layouts;
  /// Second typedef names of structs that are older than the struct they name now.
  std::map<std::string, std::string> alias_first_seen;
  std::map<std::string, Timeline<std::vector<std::string>>> signatures;
  std::map<std::string, Timeline<nlohmann::json>> values;
  std::map<std::string, Timeline<std::string>> aliases;  ///< every alias, changed or not
};

/// First header that declared the typedef name `name` of the present struct `target`.
std::string layout_first_seen(const History& history, const std::string& name, const Struct& target);

struct Driver {
  std::string version;
  std::vector<std::string> symbols;  ///< sorted
};

struct Facts {
  Api api;
  History history;
  std::map<std::string, Driver> drivers;  ///< by branch
};

/// A missing or empty directory is an empty registry. Throws Error naming the file when one cannot be read.
Facts load_facts(const std::filesystem::path& directory);
/// Writes every file, each one whole or not at all.
void save_facts(const Facts& facts, const std::filesystem::path& directory);
/// Only drivers.json and history.json, which are all that a driver adds to.
void save_driver_facts(const Facts& facts, const std::filesystem::path& directory);

/// Sets `exported_by` of the removed functions from the drivers.
void join_drivers(Facts& facts);

}  // namespace nvmlgen::headers
