// Handlers that check an instruction before they execute it.
#pragma once

#include "ptx/checks.hpp"
#include "ptx/generated/instructions.hpp"

namespace nvmlkit::ptx {

class Form;

// How far an access or a fence reaches; weak accesses have none.
enum class Scope : std::uint8_t { none, block, cluster, all };

// What is checked in an instruction, and what executes it then.
struct CheckedForm {
  Handler handler = nullptr;
  std::uint32_t size = 0;  // bytes of a lane
  Touch touch{};
  Op op{};
  Scope scope = Scope::none;
  bool is_volatile = false, acquires = false, releases = false;
  bool is_aligned = false;   // all lanes of a warp have to execute it together
  bool names_lanes = false;  // in operand c
  std::uint32_t number = 0;  // groups of copies that may be left, for a wait
};

// Puts the checking handler in front, if the instruction is one that is checked. Called once for each.
void add_check(const Form& form, Instruction& out, Function& function);

// The form of an instruction of a function that is checked.
inline const CheckedForm& checked_form(const Function& function, const Instruction& i) {
  return function.checked[static_cast<std::size_t>(&i - function.code.data())];
}

}  // namespace nvmlkit::ptx
