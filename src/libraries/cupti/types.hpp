// What stands for the types of CUPTI's headers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libraries/common/unsupported.hpp"
#include "libraries/cupti/generated/types.hpp"

namespace nvmlkit::cupti {

// What every record begins with.
struct alignas(8) Activity {
  CUpti_ActivityKind kind;
};

using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                                 std::size_t valid);

}  // namespace nvmlkit::cupti
