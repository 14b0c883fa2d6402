// What the commands of `nvmlkit mig` share: the words for the machine, and the lines about what came of them.
#pragma once

#include <string>
#include <vector>

#include "cli/machine_options.hpp"

namespace nvmlkit::cli {

struct MigChangeOptions {
  UpMachineOptions machine;
  std::string selector;
  bool as_json = false;
};

// `words` are a verb, the GPUs and the rest, as sim/steering/mig.hpp has them.
int change_mig(const MigChangeOptions& options, const std::vector<std::string>& words);

}  // namespace nvmlkit::cli
