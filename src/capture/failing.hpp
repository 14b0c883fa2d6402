// Errors that no other field of a machine file explains.
#pragma once

#include "capture/record.hpp"

namespace nvmlkit::capture {

// Functions that answer with one and the same error whatever they are asked, and with something else on the machine of
// the file: the items of `failing_functions`.
FlowList failing_functions(const Answers& real, const Answers& twin);

}  // namespace nvmlkit::capture
