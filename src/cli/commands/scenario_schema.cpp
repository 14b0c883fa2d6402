// nvmlkit scenario schema
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "scenario/schema.hpp"

namespace nvmlkit::cli {

Command scenario_schema_command() {
  return {.name = "scenario schema",
          .summary = "Print the JSON Schema of scenario files",
          .group = Group::up,
          .details = "Editors complete and check scenario files with it.",
          .examples = {{"nvmlkit scenario schema > scenario.schema.json", "for an editor"}},
          .declare = [](Arguments&) -> Action {
            return [] {
              fmt::print("{}\n", scenario::schema().dump(2));
              return 0;
            };
          }};
}

}  // namespace nvmlkit::cli
