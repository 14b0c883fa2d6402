// Fused multiply-add of f32 and f64, by the host's instruction if it exists.
#pragma once

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

Handler fused(Type type, bool with_mode);

}  // namespace nvmlkit::ptx
