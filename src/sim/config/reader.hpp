// Reads a YAML mapping into a struct of the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/config/document.hpp"
#include "sim/model/descriptor.hpp"

namespace nvmlkit::sim::config {

// The key at which the reader stands: devices[3].power.limit_mw is power.limit_mw of the owner devices[3].
struct Path {
  const Path* outer = nullptr;
  std::string_view name;  // empty for an item of a list
  std::uint32_t item = 0;
  Owner owner{};  // the same for all of a path

  // The outermost.
  static Path of(Owner owner) { return {nullptr, {}, 0, owner}; }

  Path key(std::string_view key) const { return {this, key, 0, owner}; }
  Path at(std::uint32_t index) const { return {this, {}, index, owner}; }

  // The problem here: its owner, field and part.
  Problem locate(Problem problem) const;
};

// The problem of a node, with its path and its place.
detail::unexpected<Problem> fail_at(const Node& node, const Path& path, Problem problem);

// Overrides in `structure` what `node` says and leaves the rest as it is; lists are replaced. Problems: a key that does
// not exist or comes twice, and a value that its field refuses. Fields that the descriptor leaves to the reader are
// skipped, or count as unknown where `reader_fields` is not set.
Expected<void> apply(const Node& node, const model::StructDescriptor& type, std::byte* structure, const Path& path,
                     bool reader_fields = true);

// Overrides the field at a path with a value in YAML, checked as in a machine file. Problems have no place.
Expected<void> assign(const model::StructDescriptor& type, std::byte* structure, std::string_view path,
                      std::string_view yaml);

// A problem at `node` unless it is a mapping.
Expected<void> expect_mapping(const Node& node, const Path& path);

// Reads one whole number that the descriptor leaves to the reader.
Expected<std::uint32_t> read_number(const Node& node, const model::FieldDescriptor& field, const Path& path);

}  // namespace nvmlkit::sim::config
