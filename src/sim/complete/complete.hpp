// Values of a machine that follow from others, if the machine file leaves them out.
#pragma once

#include <string_view>

#include "sim/state/machine.hpp"

namespace nvmlkit::sim {

// Derives every field that the registry documents as derived and that no file stated (Field::stated), so that later
// readers find plain fields. A second call changes nothing. With a seed, UUIDs follow from it, too.
void complete(Machine& machine, std::string_view seed = {});

}  // namespace nvmlkit::sim
