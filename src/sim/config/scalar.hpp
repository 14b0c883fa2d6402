// One value of a machine file, checked against its descriptor.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sim/config/document.hpp"
#include "sim/model/descriptor.hpp"

namespace nvmlkit::sim::config {

// Decimal or 0x hexadecimal, in full. `negative` numbers come as their magnitude.
struct Integer {
  bool negative;
  std::uint64_t magnitude;
};
std::optional<Integer> parse_integer(std::string_view text);
std::optional<bool> parse_bool(std::string_view text);

// GPU- and 32 hexadecimal digits in groups of 8-4-4-4-12.
bool is_gpu_uuid(std::string_view text);

// Reads `node` as one value of `field` into `at`. A problem says what was expected and came instead; its field and
// place are the caller's to add.
Expected<void> read_scalar(const Node& node, const model::FieldDescriptor& field, std::byte* at);

}  // namespace nvmlkit::sim::config
