// The scenarios of a node as metrics.
#pragma once

#include <vector>

#include "metrics/exposition.hpp"
#include "scenario/shelf.hpp"

namespace nvmlkit::metrics {

void add_scenarios(Exposition& out, const std::vector<scenario::ShelfStatus>& files);

}  // namespace nvmlkit::metrics
