// nvmlkit trace: the word above record, replay, show, count, diff and convert.
#include "cli/commands.hpp"

namespace nvmlkit::cli {

Command trace_command() {
  return {.name = "trace",
          .summary = "Record the NVML calls of programs, look at them, and replay them without a machine",
          .group = Group::real};
}

}  // namespace nvmlkit::cli
