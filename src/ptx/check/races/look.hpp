// One instruction of a warp while its accesses are looked at.
#pragma once

#include "ptx/check/races/block.hpp"

namespace nvmlkit::ptx::races {

struct BlockState::Look {
  Warp& warp;
  const Instruction& instruction;
  const CheckedForm* form;  // null: no load, store or atomic change
  WarpState& state;
  Log& log;
  Touch touch;
  Scope scope;
  bool is_volatile;
  std::uint32_t size;
  Stamp own;              // without the lane
  std::uint32_t ordered;  // events before are ordered before this one
  bool is_global;
  const std::uint64_t* addresses;
  Block* owner = nullptr;     // of shared memory, if it is another block
  std::uint32_t hazards = 1;  // of a cell: a hazard for each byte
  // Of the last events that were asked for, where the answer is the same for all lanes: twice the event, plus 1 for
  // those that are ordered before.
  static constexpr unsigned kAnswers = 8;
  std::uint32_t answers[kAnswers] = {};
};

}  // namespace nvmlkit::ptx::races
