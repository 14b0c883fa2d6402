// What a container asks of its GPUs from its start on.
#pragma once

#include <cstdint>
#include <string>

#include "cdi_hook/container.hpp"

namespace nvmlkit::cdi_hook {

struct Share {
  std::uint64_t memory_bytes = 0;  // of each GPU
  std::uint32_t load_percent = 0;  // of each GPU
  bool any() const { return memory_bytes != 0 || load_percent != 0; }
};

// The annotations nvmlkit.io/memory and nvmlkit.io/load come first, then the variables NVMLKIT_MEMORY and NVMLKIT_LOAD,
// then the words given here.
sim::Expected<Share> share_of(const Container& container, const std::string& memory, const std::string& load);

}  // namespace nvmlkit::cdi_hook
