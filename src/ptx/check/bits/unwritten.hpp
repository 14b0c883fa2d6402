// Bits of registers that nothing wrote: a load brought them from memory, or they were computed from such bits. What
// becomes of them decides whether the load is a finding.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ptx/check/checked.hpp"
#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {

// The load that a finding is about.
struct UnwrittenLoad {
  const Instruction* at = nullptr;
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  Space space = Space::global;

  bool operator==(const UnwrittenLoad&) const = default;
};

// Of one lane.
struct UnwrittenPart {
  std::uint64_t bits = 0;    // of a predicate, the lowest one
  bool is_computed = false;  // more became of them than a move
  bool is_value = false;     // and not a part of a struct: the load brought nothing else, or it was shifted
  UnwrittenLoad from;
};

// Of the registers of a frame, by their offset. It is there while a register has such bits.
struct UnwrittenBits {
  struct Register {
    UnwrittenPart lanes[kLanes];
  };
  std::unordered_map<std::uint32_t, Register> registers;

  const UnwrittenPart* find(Operand operand, unsigned lane) const;
  void set(Operand operand, unsigned lane, const UnwrittenPart& part);
};

// Notes what a load brings, where that is more than bytes that were written. `written` is of the bytes of the lane.
void note_loaded(Warp& w, const Instruction& i, const CheckedForm& form, unsigned lane, const UnwrittenLoad& from,
                 const std::byte* written);

// The load becomes a finding, and is forgotten.
void report_unwritten(Warp& w, unsigned lane, UnwrittenLoad load);

// A predicate decides on which way lanes go on.
void check_guard(Warp& w, const Instruction& i, Mask lanes);

// Puts the handler in front that follows these bits through an instruction.
void add_following(Instruction& out, CheckedForm& made);

}  // namespace nvmlkit::ptx
