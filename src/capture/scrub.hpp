// Removes data from answers that identify a GPU, a machine or an owner.
#pragma once

#include "capture/answers.hpp"

namespace nvmlkit::capture {

// Serial numbers, UUIDs, per-device ids, fabric and rack ids and host names become numbers that count from 1, the same
// by the same, in the form and the length that they had. PCI addresses, part numbers and versions stay.
void scrub(Answers& answers);

}  // namespace nvmlkit::capture
