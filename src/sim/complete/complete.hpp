// Values of a machine that follow from others, if the machine file leaves them out.
#pragma once

#include "sim/state/machine.hpp"

namespace nvmlkit::sim {

// Derives every field that the registry documents as derived and that nobody stated (Field::stated), so that afterwards
// whoever asks reads plain fields. Doing it twice changes nothing.
void complete(Machine& machine);

}  // namespace nvmlkit::sim
