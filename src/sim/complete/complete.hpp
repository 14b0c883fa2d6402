// Values of a machine that follow from others, if the machine file leaves them out.
#pragma once

#include "sim/state/machine.hpp"

namespace nvmlkit::sim {

// Derives every field that the registry documents as derived and that no file stated (Field::stated), so that later
// readers find plain fields. A second call changes nothing.
void complete(Machine& machine);

}  // namespace nvmlkit::sim
