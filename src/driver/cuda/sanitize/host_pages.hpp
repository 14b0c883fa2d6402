// Managed memory for racecheck. The host accesses it without a call. While it does not know all work to be done, it may
// not use the pages: each access is a signal, which notes it and lets this one instruction go on.
#pragma once

#include <cstdint>

namespace nvmlkit::cuda {

struct Allocation;

namespace sanitizer::host_pages {

// Of new managed memory: from now on the driver has a view of its own, `bytes`, and the host has that at `address`.
// False: the system has none; it stays as it is.
bool part(Allocation& allocation, std::uint64_t size);
void remove(const Allocation& allocation, std::uint64_t size);

// The host hands over work; it knows all of it to be done.
void lock_out();
void let_in();

}  // namespace sanitizer::host_pages
}  // namespace nvmlkit::cuda
