// What lines of a log mean together, where no single line says it.
#pragma once

#include "smi_log/values.hpp"

namespace nvmlkit::smi_log {

// `lost`: some line says that the GPU is lost.
void conclude(Values& values, const Place& place, bool lost);

}  // namespace nvmlkit::smi_log
