// The machine that the layers of a machine file describe.
#pragma once

#include <memory>

#include "sim/config/layers.hpp"
#include "sim/config/load.hpp"
#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::config {

// Complete and checked, and the same for the same layers: no time passes on it yet.
Expected<std::unique_ptr<Machine>> build(const Layers& layers, const Overrides& overrides);

}  // namespace nvmlkit::sim::config
