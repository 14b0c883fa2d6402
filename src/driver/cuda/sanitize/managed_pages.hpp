// Managed memory for initcheck. The host writes it without a call, so a page that exists counts as written.
#pragma once

namespace nvmlkit::cuda {

struct Allocation;

namespace sanitizer {

// Before a kernel runs, and before managed memory is looked at.
void note_host_writes(const Allocation& allocation);
void note_host_writes();

}  // namespace sanitizer
}  // namespace nvmlkit::cuda
