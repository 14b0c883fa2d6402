// The instructions that one piece of code covers: what can be reached from its start without an instruction that the
// interpreter has to execute.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "ptx/module.hpp"

namespace nvmlkit::ptx::jit {

struct Stretch {
  enum class Then : std::uint8_t { next, branch, leave };
  std::uint32_t begin = 0, end = 0;  // without the branch, and without the instruction that is left to others
  Then then = Then::leave;
  bool ends_with_branch = false;  // the instruction at `end`
  bool is_cut_short = false;      // between instructions of a row: the region would be too large
  static constexpr std::uint32_t kOut = ~0u;
  std::vector<std::uint32_t> to;    // stretches: of a branch, the target first; kOut: to the start, by leaving
  std::vector<std::uint32_t> from;  // stretches, each as often as it leads here
};

// Where a region ends although it could go on: at instructions, and on ways from instructions back to its start.
struct Cuts {
  std::set<std::uint32_t> at, back_from;
  bool at_meetings = false;      // of lanes: some instructions are for all that take part
  bool passes_barriers = false;  // of a block whose threads are all in this warp
  std::uint32_t limit = ~0u;     // other lanes wait there: what follows is for all of them together
  unsigned divisor = 1;          // of the number of instructions that a region may have
  bool operator==(const Cuts&) const = default;
};

// In an order in which a stretch stands behind those that lead to it, except where a loop goes back. The first one is
// the start.
std::vector<Stretch> stretches_from(const Function& function, std::uint32_t start, const Cuts& cuts);

bool is_left_to_others(const Instruction& i);

}  // namespace nvmlkit::ptx::jit
