// A library to open, for tests that do not care which.
#pragma once

#include "fake_table.hpp"

namespace nvmlkit::nvml::test {

// The simulated driver when this build has it, so that its code runs as well; else a table of the test.
inline Result<Library> open_library() {
#ifdef NVMLKIT_TEST_LIBRARY
  return Library::open({.load = {.path = NVMLKIT_TEST_LIBRARY}});
#else
  return Library::from_table(fake_table());
#endif
}

}  // namespace nvmlkit::nvml::test
