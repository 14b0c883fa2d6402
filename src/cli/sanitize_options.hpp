// The options of `nvmlkit sanitize`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/machine_options.hpp"
#include "sanitize/finding.hpp"
#include "sanitize/options.hpp"

namespace nvmlkit::cli {

struct SanitizeOptions {
  MachineOptions machine;
  std::string tool = "memcheck", leak_check = "no", calls = "explicit", on_error = "context", backtrace = "yes";
  std::string unused = "no", level = "auto", processes = "all", save, xml = "no", json, log;
  std::string sarif, junit, suppressions;
  std::string strip_paths = "yes", short_backtrace = "yes", check_exit_code = "yes", prefix = "=========";
  std::string demangle = "full", needs_cuda = "yes", language = "c", race_level = "info", read;
  bool is_quiet = false, shows_session = false, saves_session = false;
  std::vector<std::string> names, patterns, names_left_out, patterns_left_out;
  std::optional<std::uint32_t> exit_code, patience, launch_count, launch_skip, print_limit, schedule, schedules,
      host_callers, device_callers;

  void declare(Arguments& arguments);
  // What is checked; refuses what does not fit together.
  sanitize::Options checks() const;
  // Of races: what is below is not reported.
  sanitize::Severity least() const;
};

}  // namespace nvmlkit::cli
