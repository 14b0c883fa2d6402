// Loads the machine in a process of others. If that fails, the library prints one line with the reason.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "sim/state/machine.hpp"

namespace nvmlkit::driver {

// load(error) -> the machine, or null with the reason. Short memory is a reason too, never an exception that crosses
// the ABI.
template <class Load>
std::unique_ptr<sim::Machine> load_or_complain(Load load) noexcept try {
  std::string error;
  std::unique_ptr<sim::Machine> loaded = load(error);
  if (!loaded) std::fprintf(stderr, "nvmlkit: %s\n", error.empty() ? "out of memory" : error.c_str());
  return loaded;
} catch (...) {
  std::fprintf(stderr, "nvmlkit: out of memory\n");
  return nullptr;
}

}  // namespace nvmlkit::driver
