// Checks of the model: names resolve, defaults fit, structs can be laid out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "registry/model.hpp"

namespace nvmlgen {

// Decimal or 0x hexadecimal, in full; values above the largest int64 wrap, as hex64 does.
std::optional<std::int64_t> parse_integer(const std::string& text);

// Resolves references, checks every field and puts structs behind those that they contain. Throws RegistryError.
void check_and_order(Model& model);

}  // namespace nvmlgen
