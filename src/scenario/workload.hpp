// Steps of a workload whose shape is read from a recording.
#pragma once

#include <vector>

#include "scenario/language.hpp"

namespace nvmlkit::scenario {

// The steps that stand in place of one with `from`: a load for each change in the file, which lies beside the
// scenario unless its path is absolute.
sim::Expected<std::vector<Step>> steps_of_workload(const Step& step, const std::string& scenario_file);

}  // namespace nvmlkit::scenario
