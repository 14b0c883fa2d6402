// Copies and fills of the driver, for the check of races.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "driver/cuda/launches/launch.hpp"

namespace nvmlkit::cuda::sanitizer {

// What a race says of the other side: a kernel, work of the driver, or the host.
struct Other {
  std::shared_ptr<const Launch> launch;
  std::string text;
  std::shared_ptr<const sanitize::HostStack> host{};  // where the host accesses memory itself
};

// Rows of bytes of the memory of an allocation.
struct Rows {
  const Allocation* holder = nullptr;  // null: none that kernels reach
  const std::byte* bytes = nullptr;
  std::size_t width = 0, rows = 1, pitch = 0;
};

// Where a copy or a fill is done; either may be without rows.
void note_work(const char* what, const Rows& written, const Rows& read);

}  // namespace nvmlkit::cuda::sanitizer
