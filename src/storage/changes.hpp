// A number that changes with the contents of a block, for processes that wait for the next change. A writer that nobody
// waits for pays one atomic exchange; the first one after somebody began to wait also calls the kernel.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

namespace nvmlkit::storage {

// The lowest bit: somebody waits. It is one word with the number, so that no change comes between a look and the wait.
// A process that dies while it waits leaves the bit; the next change takes it away.
using Changes = std::atomic<std::uint32_t>;

// The number. It skips nothing and comes back after 2^31 changes.
std::uint32_t count_changes(const Changes& changes);

// Another number from now on. Wakes all threads of all processes that wait. Safe in a signal handler.
void announce(Changes& changes);

// Sleeps until the number is no longer `seen` or the deadline (CLOCK_MONOTONIC; null: for ever) is over. It may return
// early. The word must be writable memory.
void wait_for_change(Changes& changes, std::uint32_t seen, const timespec* deadline);

}  // namespace nvmlkit::storage
