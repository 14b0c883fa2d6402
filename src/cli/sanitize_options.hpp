// The options of `nvmlkit sanitize`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/machine_options.hpp"
#include "sanitize/options.hpp"

namespace nvmlkit::cli {

struct SanitizeOptions {
  MachineOptions machine;
  std::string tool = "memcheck", leak_check = "no", calls = "explicit", on_error = "context", backtrace = "yes";
  std::string unused = "no", level = "warn", processes = "all", save, xml = "no", json, log;
  std::string sarif, junit, suppressions;
  std::string strip_paths = "yes", short_backtrace = "yes", check_exit_code = "yes", prefix = "=========";
  std::vector<std::string> names, patterns;
  std::optional<std::uint32_t> exit_code, patience, launch_count, launch_skip, print_limit, schedule, schedules;

  void declare(Arguments& arguments);
  // What is checked; refuses what does not fit together.
  sanitize::Options checks() const;
};

}  // namespace nvmlkit::cli
