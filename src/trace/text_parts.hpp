// Pieces of the text of a call.
#pragma once

#include <string>

#include "trace/text.hpp"

namespace nvmlkit::trace {

std::string hex_number(std::uint64_t word);
std::string hex_bytes(const std::string& bytes);
std::string quoted_text(const std::string& bytes);
// A number where it has the size of one; else the size, or all bytes if `whole`.
std::string memory_text(const std::string& bytes, bool whole, const Handles* handles);
// Adds an item behind a comma.
void join(std::string& out, const std::string& part);

}  // namespace nvmlkit::trace
