// A plan as JSON: what a timeline shows of a scenario before it runs.
#pragma once

#include <nlohmann/json.hpp>

#include "scenario/plan.hpp"

namespace nvmlkit::serve {

nlohmann::ordered_json json_of(const scenario::Plan& plan);

}  // namespace nvmlkit::serve
