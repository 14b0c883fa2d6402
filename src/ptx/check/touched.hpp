// The bytes that instructions access which are no plain load, store or atomic change: copies, matrices, barriers in
// memory. Each is checked before its instruction is executed.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/check/checked.hpp"

namespace nvmlkit::ptx {

struct Touched {
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::uint32_t align = 1;  // what the address has to be a multiple of
  Touch touch{};
  Space space = Space::shared;
  std::uint8_t lane = 0;
  bool is_copy = false;  // it is written with the bytes of the piece before
};

// Puts the check in front. False: the instruction accesses no memory, or is checked elsewhere.
bool add_touch_check(const Form& form, Instruction& out, CheckedForm& made);

// The pieces of an instruction that is about to be executed, with addresses relative to their spaces. They stay until
// the next call of this thread, for who looks at the order of accesses.
const TouchedBytes& touched_by(Warp& w, const Instruction& i, Mask lanes);
const TouchedBytes& last_touched();

// What the pieces are to memory and to initcheck; the lanes that are right come back.
Mask check_touched(Warp& w, const Instruction& i, Mask lanes);

}  // namespace nvmlkit::ptx
