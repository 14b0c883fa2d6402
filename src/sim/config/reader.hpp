// Reads a YAML mapping into a struct of the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/config/document.hpp"
#include "sim/model/descriptor.hpp"

namespace nvmlkit::sim::config {

// The key at which the reader stands, as messages name it: devices[3].power.limit_mw.
struct Path {
  const Path* outer = nullptr;
  std::string_view name;  // empty for an item of a list
  std::uint32_t item = 0;

  std::string text() const;
};

// Sets the keys of `node` in `structure`, and leaves others unchanged; lists are replaced. Throws ConfigFailure for
// a key that does not exist or comes twice, and for a value that its field refuses. Fields that the descriptor leaves
// to the reader are skipped, or count as unknown where `reader_fields` is not set.
void apply(const Node& node, const model::StructDescriptor& type, std::byte* structure, const Path& path,
           bool reader_fields = true);

// Throws ConfigFailure at `node` unless it is a mapping.
void expect_mapping(const Node& node, const Path& path);

// Reads one whole number that the descriptor leaves to the reader.
std::uint32_t read_number(const Node& node, const model::FieldDescriptor& field, const Path& path);

}  // namespace nvmlkit::sim::config
