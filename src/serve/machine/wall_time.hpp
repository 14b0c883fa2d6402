// Times of the machine's host for people.
#pragma once

#include <cstdint>

namespace nvmlkit::serve {

// An uptime of the host as milliseconds since 1970.
std::int64_t unix_ms_of(std::uint64_t uptime_us);

}  // namespace nvmlkit::serve
