// nvmlkit mig create
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/mig_change.hpp"
#include "cli/selector.hpp"

namespace nvmlkit::cli {
namespace {

struct MigCreateOptions {
  MigChangeOptions change;
  std::string profiles, compute, instance;
  bool bare = false;
};

int create_mig(const MigCreateOptions& options) {
  std::vector<std::string> words = {"create", options.change.selector, options.profiles};
  if (!options.compute.empty()) words.insert(words.end(), {"--compute", options.compute});
  if (!options.instance.empty()) words.insert(words.end(), {"--gi", options.instance});
  if (options.bare) words.emplace_back("--bare");
  return change_mig(options.change, words);
}

Action declare_mig_create(Arguments& arguments) {
  const auto options = std::make_shared<MigCreateOptions>();
  declare_gpus(arguments, options->change.selector).required();
  arguments
      .argument("PROFILES", Kind::text, options->profiles,
                "GPU instance profiles by name or id, several with commas; PROFILE:START for a placement")
      .required();
  auto compute = arguments
                     .option("--compute", Kind::text, options->compute,
                             "Compute instance profiles of each GPU instance, in the same form")
                     .label("PROFILES")
                     .default_text("one of the whole size");
  auto bare = arguments.flag("--bare", options->bare, "No compute instance").excludes(compute);
  arguments
      .option("--gi", Kind::number, options->instance,
              "Make compute instances in this GPU instance; PROFILES are theirs")
      .label("ID")
      .excludes(compute)
      .excludes(bare);
  declare_json(arguments, options->change.as_json);
  options->change.machine.declare(arguments);
  return [options] { return create_mig(*options); };
}

}  // namespace

Command mig_create_command() {
  return {.name = "mig create",
          .summary = "Make GPU instances and compute instances",
          .group = Group::up,
          .details =
              "All of them are made or, if one is refused, none. Without START an instance goes where the driver puts "
              "it. Prints the ids and the UUIDs of the MIG devices.",
          .examples = {{"nvmlkit mig create gpu=0 3g.40gb,2g.20gb,1g.10gb", "three MIG devices"},
                       {"nvmlkit mig create gpu=0 19:6", "profile 19 at memory slice 6"},
                       {"nvmlkit mig create gpu=0 3g.40gb --compute 1c.3g.40gb,2c.3g.40gb", "two in one GPU instance"},
                       {"nvmlkit mig create gpu=0 1c.3g.40gb --gi 2", "one more compute instance"}},
          .declare = declare_mig_create};
}

}  // namespace nvmlkit::cli
