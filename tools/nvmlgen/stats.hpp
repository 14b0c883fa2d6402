// `nvmlgen stats`: the state of the simulation, counted from the registry.
#pragma once

#include <string>

#include "registry/registry.hpp"

namespace nvmlgen {

std::string stats_text(const Registry& registry);

}  // namespace nvmlgen
