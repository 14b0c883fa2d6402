// Loads the machine in a process of others. If that fails, the library prints one line with the reason.
#pragma once

#include <cstdio>
#include <memory>
#include <utility>

#include "sim/problem/text.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::driver {

// Prints the line. Short memory makes it another one.
inline void complain(const sim::Problem& problem) noexcept try {
  std::fprintf(stderr, "nvmlkit: %s\n", sim::text_of(problem).c_str());
} catch (...) {
  std::fprintf(stderr, "nvmlkit: out of memory\n");
}

// load() -> the machine or a problem; null where it cannot be loaded. Short memory is a problem, too, never an
// exception that crosses the ABI.
template <class Load>
std::unique_ptr<sim::Machine> load_or_complain(Load load) noexcept try {
  sim::Expected<std::unique_ptr<sim::Machine>> loaded = load();
  if (loaded) return std::move(*loaded);
  complain(loaded.error());
  return nullptr;
} catch (...) {
  std::fprintf(stderr, "nvmlkit: out of memory\n");
  return nullptr;
}

}  // namespace nvmlkit::driver
