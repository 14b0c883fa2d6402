// What a run reports: lines for people, JSON, JUnit.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scenario/plan.hpp"
#include "scenario/run.hpp"

namespace nvmlkit::scenario {

// Nothing failed, and every step was reached.
bool has_passed(const std::vector<Result>& results);

std::string line_of(const Plan& plan, const Result& result);

// "5 done, 1 failed"
std::string summary_of(const std::vector<Result>& results);

// Equal for equal runs: nothing in it depends on the time of day.
nlohmann::ordered_json as_json(const Plan& plan, const std::vector<Result>& results);
std::string as_junit(const Plan& plan, const std::vector<Result>& results);

// What would happen, one line for each step.
std::vector<std::string> describe(const Plan& plan);

}  // namespace nvmlkit::scenario
