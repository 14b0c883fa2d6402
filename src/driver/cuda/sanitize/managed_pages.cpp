#include "driver/cuda/sanitize/managed_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "driver/cuda/memory/memory.hpp"
#include "ptx/checks.hpp"
#include "ptx/memory_view.hpp"

namespace nvmlkit::cuda::sanitizer {

void note_host_writes(const Allocation& a) {
  if (a.kind != MemoryKind::managed || !a.written) return;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  constexpr std::uint64_t kPages = 4096;
  unsigned char there[kPages];
  for (std::uint64_t at = 0; at < a.size; at += kPages * page) {
    const auto count = std::min(kPages, (a.size - at + page - 1) / page);
    const bool is_known = mincore(a.bytes + at, count * page, there) == 0;
    for (std::uint64_t k = 0; k < count; ++k)
      if (!is_known || (there[k] & 1))
        std::memset(a.written + at + k * page, ptx::kWritten, std::min(page, a.size - at - k * page));
  }
}

void note_host_writes() {
  if (!ptx::checking.initialized) return;
  for (const auto& allocation : memory::all()) note_host_writes(*allocation);
}

}  // namespace nvmlkit::cuda::sanitizer
