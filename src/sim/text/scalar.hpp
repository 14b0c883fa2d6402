// Scalars of a machine file, read and written by their field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "sim/model/descriptor.hpp"
#include "sim/model/pci_bus_id.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::sim::text {

// Decimal or 0x hexadecimal, in full. `negative` numbers come as their magnitude.
struct Integer {
  bool negative;
  std::uint64_t magnitude;
};
std::optional<Integer> parse_integer(std::string_view text);
std::optional<bool> parse_bool(std::string_view text);

// GPU- and 32 hexadecimal digits in groups of 8-4-4-4-12.
bool is_gpu_uuid(std::string_view text);

// A scalar as a document contains it.
struct Token {
  std::string_view text;
  bool plain = false;  // without quotes
};

// Reads a scalar as one value of `field` into `at`. A problem says what was expected and came instead; its field and
// place are the caller's to add.
Expected<void> parse_scalar(const Token& token, const model::FieldDescriptor& field, std::byte* at);

// The problem of a field without list and struct that got a list or a mapping; `given` names it.
Problem not_a_scalar(const model::FieldDescriptor& field, std::string_view given);

// One value of the model. An enum is its word, or its number if no word exists.
using Scalar = std::variant<bool, std::uint64_t, std::int64_t, double, std::string_view, model::PciBusId>;

// Valid as long as the bytes at `at`.
Scalar scalar_at(const model::FieldDescriptor& field, const std::byte* at);

// The word of an enum for a number; empty if no word exists.
std::string_view word_of(const model::FieldDescriptor& field, std::uint32_t number);

// As a machine file has it: texts in quotes, words of enums without. N/A for an enum without a word.
std::string yaml_of(const model::FieldDescriptor& field, const Scalar& scalar);

}  // namespace nvmlkit::sim::text
