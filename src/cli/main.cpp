// The `nvmlkit` command. What it can do stands in commands/, one file for each command.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cli/application.hpp"
#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "sim/problem/text.hpp"

int main(int argc, char** argv) {
  using namespace nvmlkit::cli;
  const auto refuse = [](const std::string& message, int status) {
    fmt::print(stderr, "nvmlkit: {}\n", message);
    return status;
  };
  try {
    Application application("nvmlkit", kSummary, all_commands());
    return application.run({argv + std::min(argc, 1), argv + argc});
  } catch (const CommandError& error) {
    return refuse(nvmlkit::sim::text_of(error.problem), error.status);
  } catch (const std::exception& error) {
    return refuse(error.what(), kFailed);
  }
}
