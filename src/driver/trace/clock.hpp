// The word that a replay and the preloaded clock of a program share: nanoseconds to add to CLOCK_REALTIME.
#pragma once

#include <atomic>
#include <cstdint>

namespace nvmlkit::trace {

using ClockWord = std::atomic<std::int64_t>;
static_assert(sizeof(ClockWord) == 8 && ClockWord::is_always_lock_free);

}  // namespace nvmlkit::trace
