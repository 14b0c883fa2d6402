// What the multiprocessors of a GPU do while kernels run, in per cent of that time.
#pragma once

#include <array>

#include "sim/generated/model.hpp"

namespace nvmlkit::sim::telemetry {

using Mix = std::array<std::uint8_t, Pipe::count>;  // by Pipe

// Of kernels that nobody describes.
Mix mix_at_rest(const model::Gpu& gpu);
// Of the GPU's workload.
Mix mix_of(const model::Gpu& gpu);

}  // namespace nvmlkit::sim::telemetry
