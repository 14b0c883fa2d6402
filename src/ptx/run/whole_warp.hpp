// A warp of a block that goes on by compiled code, phase after phase: all of its lanes stand at one instruction of the
// kernel. As long as they do, nobody writes its fragments, and no more than this is looked at.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ptx/compile/context.hpp"
#include "ptx/types.hpp"

namespace nvmlkit::ptx {

class Warp;

struct WholeWarp {
  enum class State : std::uint8_t {
    runs,
    at_barrier,
    parted,  // its fragments say where its lanes stand
    ended
  };

  Warp* warp = nullptr;
  std::byte* registers = nullptr;
  const std::byte* special = nullptr;
  std::byte* frame_params = nullptr;
  Mask* carry = nullptr;
  std::byte* local = nullptr;
  std::uint64_t local_bytes = 0;
  Mask lanes = 0;
  std::uint32_t pc = 0;
  State state = State::runs;
  bool has_fragments = false;

  bool has_all_lanes() const { return lanes == kAllLanes; }
  bool is_plain() const { return has_all_lanes() && !has_fragments; }
  // With all lanes, before its turn.
  bool is_at(std::uint32_t begin) const { return state == State::runs && pc == begin && lanes == kAllLanes; }
  void arrives(std::uint32_t barrier) {
    pc = barrier;
    state = State::at_barrier;
  }
  void put_into(CodeContext& context) const {
    context.warp = warp;
    context.registers = registers;
    context.special = special;
    context.frame_params = frame_params;
    context.carry = carry;
    context.local = local;
    context.local_bytes = local_bytes;
    context.local_start = 0;
    context.lanes = lanes;
    context.limit = ~0u;
  }
};

}  // namespace nvmlkit::ptx
