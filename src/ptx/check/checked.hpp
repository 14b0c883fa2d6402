// Handlers that check an instruction before they execute it.
#pragma once

#include "ptx/checks.hpp"
#include "ptx/generated/instructions.hpp"
#include "ptx/instructions/touched.hpp"

namespace nvmlkit::ptx {

class Form;

// How far an access or a fence reaches; weak accesses have none.
enum class Scope : std::uint8_t { none, block, cluster, all };

// What is checked in an instruction, and what executes it then.
struct CheckedForm {
  Handler handler = nullptr;      // what executes the instruction
  Handler followed = nullptr;     // what has the bits followed that nothing wrote (bits/)
  Handler order = nullptr;        // looks at its order first, where there is more than accesses
  ListTouched touched = nullptr;  // of an instruction that is no load, store or atomic change
  std::uint32_t size = 0;         // bytes of a lane
  std::uint16_t bytes = 0;        // the same, of a piece
  Touch touch{};
  Op op{};
  Scope scope = Scope::none;
  bool is_volatile = false, acquires = false, releases = false;
  bool ends_gate = false;    // mbarrier.inval
  bool is_aligned = false;   // all lanes of a warp have to execute it together
  bool names_lanes = false;  // in operand c
  std::uint32_t number = 0;  // groups of copies that may be left, for a wait
  std::uint8_t copies = 0;   // which are committed or waited for: a races::RunningCopy::Kind
  bool only_reads = false;   // such a wait is for what copies read
};

// Puts the checking handler in front, if the instruction is one that is checked. Called once for each.
void add_check(const Form& form, Instruction& out, Function& function);

// The form of an instruction of a function that is checked.
inline const CheckedForm& checked_form(const Function& function, const Instruction& i) {
  return function.checked[static_cast<std::size_t>(&i - function.code.data())];
}

}  // namespace nvmlkit::ptx
