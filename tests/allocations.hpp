// Counts what operator new is asked for: link allocations.cpp, which replaces it for the whole program.
#pragma once

#include <cstddef>

namespace nvmlkit::test {

// How many allocations this thread has made.
std::size_t allocations() noexcept;

}  // namespace nvmlkit::test
