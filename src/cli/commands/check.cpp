// nvmlkit check
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/machine.hpp"

namespace nvmlkit::cli {
namespace {

int check_file(const std::string& file) {
  const auto path = std::filesystem::absolute(file).lexically_normal().string();
  const auto machine = value_of(inspect({{"NVMLKIT_MACHINE", path}}));
  fmt::print("{}: {}, driver {}\n", file, machine.gpus, machine.driver_version);
  return 0;
}

}  // namespace

Command check_command() {
  return {
      .name = "check",
      .summary = "Check a machine file",
      .group = Group::machines,
      .details = "Prints the GPUs of the machine, or the first mistake: file, line, column, what was expected there.",
      .examples = {{"nvmlkit check machine.yaml", "is it a machine file that programs can run on?"}},
      .declare = [](Arguments& arguments) -> Action {
        const auto file = std::make_shared<std::string>();
        arguments.argument("FILE", Kind::file, *file, "The file").required();
        return [file] { return check_file(*file); };
      }};
}

}  // namespace nvmlkit::cli
