// Memory that is fetched into the cache before it is needed.
#pragma once

#include <cstdint>

#include "ptx/llvm/access_form.hpp"
#include "ptx/llvm/lanes.hpp"
#include "ptx/llvm/place.hpp"

namespace nvmlkit::ptx {
struct Function;
}

namespace nvmlkit::ptx::jit {

// What the next block reaches, if it lies behind what this one does. `at`: the access, or the begin of the straight
// code that it is in.
void fetch_ahead(LaneBuilder& b, const Function& function, std::uint32_t at, const MemoryAccess& access,
                 const Place& place);

}  // namespace nvmlkit::ptx::jit
