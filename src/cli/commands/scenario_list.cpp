// nvmlkit scenario list
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "scenario/library.hpp"
#include "scenario/read.hpp"

namespace nvmlkit::cli {
namespace {

// Up to the end of the first sentence.
std::string first_sentence(const std::string& text) {
  const auto end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

int list_scenarios(bool as_json) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& entry : scenario::library()) {
    const auto read = value_of(scenario::read(std::string(entry.name), entry.text));
    rows.push_back({{"name", entry.name}, {"machine", entry.machine()}, {"description", read.description}});
  }
  if (as_json) {
    fmt::print("{}\n", rows.dump(2));
    return 0;
  }
  fmt::print("{:<18}{:<9}{}\n", "Name", "Machine", "Description");
  for (const auto& row : rows)
    fmt::print("{:<18}{:<9}{}\n", row["name"].get<std::string>(), row["machine"].get<std::string>(),
               first_sentence(row["description"].get<std::string>()));
  return 0;
}

}  // namespace

Command scenario_list_command() {
  return {
      .name = "scenario list",
      .summary = "List the ready scenarios",
      .group = Group::up,
      .details =
          "Incidents and workloads, each with the machine that it is written for. --json has their whole "
          "descriptions, with sources.",
      .examples = {{"nvmlkit scenario list", "what there is"},
                   {"nvmlkit scenario run gpu-falls-off -m h100", "one of them, on a machine of the command's own"}},
      .declare = [](Arguments& arguments) -> Action {
        const auto as_json = std::make_shared<bool>(false);
        declare_json(arguments, *as_json);
        return [as_json] { return list_scenarios(*as_json); };
      }};
}

}  // namespace nvmlkit::cli
