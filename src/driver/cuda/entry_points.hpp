// The symbols for cuGetProcAddress.
#pragma once

#include <cstdint>
#include <span>

namespace nvmlkit::cuda {

struct EntryPoint {
  const char* name;
  std::uint32_t version;  // of CUDA, from which on it is meant
  bool per_thread;        // for a default stream per thread
  void (*address)();
};

// By name; of one name, those for a default stream per thread last; then by version.
std::span<const EntryPoint> entry_points();

}  // namespace nvmlkit::cuda
