// A cell of the tables that tools print: a number with or without its unit, a P-state, a word.
#pragma once

#include <optional>
#include <string_view>

namespace nvmlkit::recording {

// Does it stand for a value that the GPU does not have?
bool is_absent(std::string_view cell);

// 45, 49.68 W, P8, 0x0000000000000004, Yes, Not Active; nothing for another form.
std::optional<double> number_of_cell(std::string_view cell);

}  // namespace nvmlkit::recording
