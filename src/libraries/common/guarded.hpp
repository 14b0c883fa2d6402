// No exception crosses the C interface of a library.
#pragma once

#include <new>

namespace nvmlkit::libraries {

// What the work answers, or the status of the library for what it threw.
template <auto no_memory, auto internal_error, class Work>
auto guarded(Work work) noexcept -> decltype(no_memory) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return no_memory;
  } catch (...) {
    return internal_error;
  }
}

}  // namespace nvmlkit::libraries
