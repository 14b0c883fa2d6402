// Branches at which lanes part and soon meet again.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ptx/llvm/region.hpp"

namespace llvm {
class Value;
}

namespace nvmlkit::ptx::jit {

struct Parting {
  // Stretches that some of the lanes execute, by their place in the code. A GPU, too, executes first what lies first.
  std::vector<std::size_t> between;
  std::size_t meets = 0;  // the stretch where all are together again
};

// Lanes that come to where others may wait, while the rest goes on: the stretches that the two ways lead to.
struct Arrival {
  std::uint32_t ahead = 0, rest = 0;
};

// An instruction, and a mask of the lanes that go on there.
using PlaceOfLanes = std::pair<std::uint32_t, llvm::Value*>;

// Of the branch at the end of a stretch. Nothing where the ways are long, or lead back.
std::optional<Parting> parting_at(const Function& function, const std::vector<Stretch>& stretches, std::size_t branch);

}  // namespace nvmlkit::ptx::jit
