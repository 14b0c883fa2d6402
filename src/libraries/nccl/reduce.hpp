// Operators on elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libraries/nccl/operation.hpp"

namespace nvmlkit::nccl {

// The elements of all ranks, combined in the order of the ranks, so that the result is the same each time. Narrow
// floats are combined as floats and rounded once. ncclAvg divides; ncclNumOps adds what was multiplied before.
void combine(ncclDataType_t type, ncclRedOp_t kind, const std::vector<const std::byte*>& sources, std::size_t count,
             std::byte* to);

// Elements times the scalar of an operator.
void multiply(ncclDataType_t type, std::uint64_t scalar, const std::byte* from, std::size_t count, std::byte* to);

}  // namespace nvmlkit::nccl
