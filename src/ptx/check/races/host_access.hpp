// Copies and fills that the driver does: they race with kernels as kernels do with each other.
#pragma once

#include <cstdint>
#include <span>

#include "ptx/checks.hpp"

namespace nvmlkit::ptx::races {

// Rows of bytes of global memory.
struct HostAccess {
  Touch touch{};
  std::uint64_t address = 0, width = 0, rows = 1, pitch = 0;
};

// To be called where the work is done. `checks` has its order.
void note(Checks& checks, std::span<const HostAccess> accesses);

}  // namespace nvmlkit::ptx::races
