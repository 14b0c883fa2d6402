// nvmlkit get
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/model_json.hpp"
#include "cli/selector.hpp"
#include "sim/steering/paths.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::cli {
namespace {

struct GetOptions {
  UpMachineOptions machine;
  std::string selector, path;
  bool as_json = false;
};

int get_values(const GetOptions& options) {
  const auto machine = machine_of(options.machine);
  const auto selected = select(*machine, options.selector);
  auto all = Json::array();
  for (const auto index : selected) {
    const auto gpu = snapshot(*machine, index);
    sim::telemetry::resolve(*machine, *gpu);
    const auto value = value_at(*gpu, sim::steering::full_path(options.path));
    if (options.as_json)
      all.push_back({{"gpu", index}, {"value", value}});
    else if (selected.size() == 1 && !value.is_object())
      fmt::print("{}\n", text_of(value));
    else
      print(selected.size() > 1 ? fmt::format("gpu={} ", index) : "", options.path, value);
  }
  if (options.as_json) fmt::print("{}\n", all.dump(2));
  return 0;
}

}  // namespace

Command get_command() {
  return {.name = "get",
          .summary = "Show values of GPUs",
          .group = Group::up,
          .details =
              "A path is the name of a field in machine files, or a short name such as `power.limit`. A value "
              "that the GPU does not have is N/A.",
          .examples = {{"nvmlkit get gpu=0 power.limit_mw", "one value"},
                       {"nvmlkit get gpu=all thermal --json", "a group of values of all GPUs, for programs"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<GetOptions>();
            declare_gpus(arguments, options->selector).required();
            arguments.argument("PATH", Kind::field, options->path, "A field, or a group of fields").default_text("all");
            declare_json(arguments, options->as_json);
            options->machine.declare(arguments);
            return [options] { return get_values(*options); };
          }};
}

}  // namespace nvmlkit::cli
