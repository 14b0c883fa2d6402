// nvmlkit scenario: the word above run, check, list, show and schema.
#include "cli/commands.hpp"

namespace nvmlkit::cli {

Command scenario_command() {
  return {.name = "scenario", .summary = "Let faults, loads and values come and go by a file", .group = Group::up};
}

}  // namespace nvmlkit::cli
