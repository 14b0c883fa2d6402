// nvmlkit machines
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/machine.hpp"
#include "sim/config/builtin.hpp"

namespace nvmlkit::cli {
namespace {

int list_machines(bool as_json) {
  auto rows = nlohmann::ordered_json::array();
  for (const sim::BuiltinMachine& builtin : sim::list_builtin_machines()) {
    const auto machine = value_of(inspect({{"NVMLKIT_MACHINE", std::string(builtin.name)}}));
    rows.push_back({{"name", builtin.name},
                    {"gpu", machine.gpu_name},
                    {"count", machine.gpu_count},
                    {"memory_bytes", machine.memory_bytes},
                    {"architecture", machine.architecture},
                    {"driver_version", machine.driver_version}});
  }
  if (as_json) {
    fmt::print("{}\n", rows.dump(2));
    return 0;
  }
  fmt::print("{:<12}{:>5}  {:<46}{:>12}  {}\n", "Name", "GPUs", "GPU", "Memory", "Architecture");
  for (const auto& row : rows)
    fmt::print("{:<12}{:>5}  {:<46}{:>8} MiB  {}\n", row["name"].get<std::string>(), row["count"].get<std::uint32_t>(),
               row["gpu"].get<std::string>(), row["memory_bytes"].get<std::uint64_t>() >> 20,
               row["architecture"].get<std::string>());
  return 0;
}

}  // namespace

Command machines_command() {
  return {.name = "machines",
          .summary = "List the built-in machines",
          .group = Group::machines,
          .examples = {{"nvmlkit machines --json", "with their drivers, for programs"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto as_json = std::make_shared<bool>(false);
            declare_json(arguments, *as_json);
            return [as_json] { return list_machines(*as_json); };
          }};
}

}  // namespace nvmlkit::cli
