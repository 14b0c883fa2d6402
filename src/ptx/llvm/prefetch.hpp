// Prefetches of global memory.
#pragma once

#include <cstdint>

#include "ptx/llvm/access_form.hpp"
#include "ptx/llvm/lanes.hpp"
#include "ptx/llvm/place.hpp"

namespace nvmlkit::ptx {
struct Function;
}

namespace nvmlkit::ptx::jit {

// Of what lies behind an access: the next block may reach it. `at` is the instruction, or one before it in the same
// straight code.
void prefetch_next_block(LaneBuilder& b, const Function& function, std::uint32_t at, const MemoryAccess& access,
                         const Place& place);

}  // namespace nvmlkit::ptx::jit
