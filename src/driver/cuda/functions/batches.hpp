// Batches: several copies, prefetches or discards in one call.
#pragma once

#include <cstddef>

#include "driver/cuda/streams/streams.hpp"

namespace nvmlkit::cuda::batches {

// Documented: the default stream of the process takes none.
inline bool takes_batches(CUstream stream) { return stream && stream != kLegacyStream; }

// Documented: each attribute of a batch applies from its start on; the starts begin with 0 and ascend.
inline bool are_starts(const std::size_t* starts, std::size_t number, std::size_t count) {
  if (number == 0 || number > count || starts[0] != 0) return false;
  for (std::size_t i = 1; i < number; ++i)
    if (starts[i] <= starts[i - 1] || starts[i] >= count) return false;
  return true;
}

}  // namespace nvmlkit::cuda::batches
