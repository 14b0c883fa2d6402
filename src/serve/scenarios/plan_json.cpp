#include "serve/scenarios/plan_json.hpp"

#include <optional>
#include <string>

namespace nvmlkit::serve {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json json_of_optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json text_of_condition(const std::optional<scenario::Condition>& condition) {
  return condition ? Json(condition->text) : Json();
}

Json json_of_step(const scenario::Step& step, const scenario::PlannedStep& planned, std::size_t index) {
  auto commands = Json::array(), expectations = Json::array();
  for (const auto& line : step.lines) commands.push_back(line.text);
  for (const auto& condition : step.expect) expectations.push_back(condition.text);
  return {{"title", scenario::title_of(step, index)},
          {"line", step.place.line},
          {"after", step.after},
          {"begin_s", static_cast<double>(planned.begin_ns) / 1e9},
          {"every_s", json_of_optional(step.every_s)},
          {"repeat", json_of_optional(step.rounds)},
          {"chance", json_of_optional(step.chance)},
          {"for_s", json_of_optional(step.hold_s)},
          {"within_s", json_of_optional(step.within_s)},
          {"when", text_of_condition(step.when)},
          {"if", text_of_condition(step.only_if)},
          {"gpus", planned.gpus},
          {"one_of", step.one_of},
          {"commands", commands},
          {"expect", expectations}};
}

}  // namespace

Json json_of(const scenario::Plan& plan) {
  const auto& scenario = plan.scenario();
  auto steps = Json::array();
  for (std::size_t i = 0; i < scenario.steps.size(); ++i)
    steps.push_back(json_of_step(scenario.steps[i], plan.steps()[i], i));
  return {{"name", scenario.name},
          {"description", scenario.description},
          {"seed", scenario.seed},
          {"end_s", json_of_optional(scenario.end_s)},
          {"steps", steps}};
}

}  // namespace nvmlkit::serve
