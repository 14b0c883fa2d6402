// Paths of fields: power.limit_mw names limit_mw of power, in a GPU or in the machine.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/descriptor.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::sim::text {

// The names of a path: power and limit_mw.
std::vector<std::string_view> names_of(std::string_view path);

// A field with the struct that it is a member of.
struct Located {
  const model::FieldDescriptor* field = nullptr;  // null: there is none
  const std::byte* structure = nullptr;           // null where none was given

  explicit operator bool() const { return field != nullptr; }
};

// The field at a path below a struct. There is none behind a list, or behind what is no struct.
Located find_field(const model::StructDescriptor& root, std::string_view path, const std::byte* structure = nullptr);

// The same, or the problem for a person who wrote the path. Fields without a member, which are the reader's own
// business, do not count.
Expected<Located> locate(const model::StructDescriptor& root, std::string_view path,
                         const std::byte* structure = nullptr);

// What a machine file says of one value: the mapping that has `yaml` at the path.
std::string mapping_of(std::string_view path, std::string_view yaml);

}  // namespace nvmlkit::sim::text
