// nvmlkit release
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/model_json.hpp"
#include "cli/selector.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/paths.hpp"
#include "sim/telemetry/pins.hpp"

namespace nvmlkit::cli {
namespace {

struct ReleaseOptions {
  UpMachineOptions machine;
  std::string selector, path = "all";
  bool as_json = false;
};

int release_values(const ReleaseOptions& options) {
  const auto machine = machine_of(options.machine);
  // What moves again is what was pinned.
  auto all = Json::array();
  if (options.as_json) {
    const auto path = options.path == "all" ? "" : sim::steering::full_path(options.path);
    for (const auto index : select(*machine, options.selector))
      all.push_back({{"gpu", index}, {"released", sim::telemetry::release(*snapshot(*machine, index), path)}});
  }
  accept(sim::steering::release(*machine, options.selector, options.path));
  if (options.as_json) fmt::print("{}\n", all.dump(2));
  return 0;
}

}  // namespace

Command release_command() {
  return {.name = "release",
          .summary = "Let values that were set move again",
          .group = Group::up,
          .examples = {{"nvmlkit release gpu=0 thermal.gpu", "the temperature follows the load again"},
                       {"nvmlkit release gpu=all", "everything that was set"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<ReleaseOptions>();
            declare_gpus(arguments, options->selector).required();
            arguments.argument("PATH", Kind::field, options->path, "A live value, a group of them, or all")
                .for_example({"all"})
                .default_text("all");
            declare_json(arguments, options->as_json);
            options->machine.declare(arguments);
            return [options] { return release_values(*options); };
          }};
}

}  // namespace nvmlkit::cli
