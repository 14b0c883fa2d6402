// Handlers that check the accesses of an instruction before they execute it.
#pragma once

#include "ptx/checks.hpp"

namespace nvmlkit::ptx {

class Form;

// What is checked in an instruction, and what executes it then.
struct CheckedForm {
  Handler handler = nullptr;
  std::uint32_t size = 0;  // bytes of a lane
  Touch touch{};
};

// Puts the checking handler in front, if the instruction is one whose accesses are known. Called once for each.
void add_check(const Form& form, Instruction& out, Function& function);

}  // namespace nvmlkit::ptx
