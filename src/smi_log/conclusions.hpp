// Fields of a machine that follow from several lines of a log together.
#pragma once

#include "smi_log/values.hpp"

namespace nvmlkit::smi_log {

// `lost`: some line says that the GPU is lost.
void conclude(Values& values, const Place& place, bool lost);

}  // namespace nvmlkit::smi_log
