// Where code names the image of its module's variables. It lies elsewhere in each process, so that machine code adds
// its address when it runs.
#pragma once

#include <algorithm>

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

// Of an instruction: its number is an address there.
inline bool is_of_image(const Function& function, std::uint32_t at) {
  return std::ranges::binary_search(function.image_instructions, at);
}
// Of a constant.
inline bool is_of_image(const Function& function, Operand operand) {
  return operand.area() == Operand::constants && std::ranges::binary_search(function.image_constants, operand.offset());
}

}  // namespace nvmlkit::ptx
