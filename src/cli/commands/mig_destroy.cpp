// nvmlkit mig destroy
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/mig_change.hpp"
#include "cli/selector.hpp"

namespace nvmlkit::cli {
namespace {

struct MigDestroyOptions {
  MigChangeOptions change;
  std::string ids, compute;
};

int destroy_mig(const MigDestroyOptions& options) {
  std::vector<std::string> words = {"destroy", options.change.selector, options.ids};
  if (!options.compute.empty()) words.insert(words.end(), {"--ci", options.compute});
  return change_mig(options.change, words);
}

Action declare_mig_destroy(Arguments& arguments) {
  const auto options = std::make_shared<MigDestroyOptions>();
  declare_gpus(arguments, options->change.selector).required();
  arguments.argument("IDS", Kind::text, options->ids, "Ids of GPU instances, several with commas").required();
  arguments.option("--ci", Kind::number, options->compute, "Only this compute instance of the GPU instance")
      .label("ID")
      .default_text("the GPU instance with all of them");
  declare_json(arguments, options->change.as_json);
  options->change.machine.declare(arguments);
  return [options] { return destroy_mig(*options); };
}

}  // namespace

Command mig_destroy_command() {
  return {.name = "mig destroy",
          .summary = "Destroy GPU instances or a compute instance",
          .group = Group::up,
          .details = "An instance that a process uses is refused.",
          .examples = {{"nvmlkit mig destroy gpu=0 9,10", "two GPU instances"},
                       {"nvmlkit mig destroy gpu=0 2 --ci 1", "one compute instance"}},
          .declare = declare_mig_destroy};
}

}  // namespace nvmlkit::cli
