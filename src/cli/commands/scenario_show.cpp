// nvmlkit scenario show
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "scenario/library.hpp"

namespace nvmlkit::cli {

Command scenario_show_command() {
  return {.name = "scenario show",
          .summary = "Print a ready scenario",
          .group = Group::up,
          .details = "The file, to read or to change.",
          .examples = {{"nvmlkit scenario show gpu-falls-off > outage.yaml", "the beginning of an own one"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto name = std::make_shared<std::string>();
            arguments.argument("NAME", Kind::text, *name, "A name of nvmlkit scenario list").required();
            return [name] {
              fmt::print("{}", value_of(scenario::find_in_library(*name)).text);
              return 0;
            };
          }};
}

}  // namespace nvmlkit::cli
