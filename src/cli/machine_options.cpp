#include "cli/machine_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cli/command_error.hpp"
#include "cli/state_files.hpp"
#include "driver/search/search.hpp"

namespace nvmlkit::cli {
namespace {

std::string absolute(const std::string& path) { return std::filesystem::absolute(path).lexically_normal().string(); }

// The state that a driver library in this container finds.
std::optional<std::string> state_of_container() {
  const auto found = value_of(driver::search::find_state(sim::Environment::process(), driver::search::View{}));
  return found ? std::optional(found->state) : std::nullopt;
}

}  // namespace

std::vector<Declared> NewMachineOptions::declare(Arguments& arguments) {
  arguments.section("A machine to make");
  auto machine = arguments.option("-m,--machine", Kind::machine, machine_,
                                  "Built-in machine (see `nvmlkit machines`) or machine file");
  machine.default_text("what the environment says, else a100");
  auto file = arguments.option("-c,--config", Kind::file, file_, "Machine file").excludes(machine);
  auto count = arguments.option("-n,--gpus", count_, "How many GPUs the machine has");
  arguments.option("--driver", Kind::driver, driver_, "The driver that it has: a branch (535, 550, ...), or a version");
  return {machine, file, count};
}

MachineChoice NewMachineOptions::choice() const {
  MachineChoice choice{file_.empty() ? machine_ : file_, count_, driver_};
  // A path stays right when the program changes its folder. -c is always one, -m when it reads like one.
  const bool path = !file_.empty() || machine_.find('/') != std::string::npos || machine_.ends_with(".yaml") ||
                    machine_.ends_with(".yml");
  if (path) choice.machine = absolute(choice.machine);
  return choice;
}

std::vector<Declared> UpMachineOptions::declare(Arguments& arguments) {
  arguments.section("A machine that is up");
  auto name = arguments.option("--name", Kind::name, name_, "The machine of this name, made by `nvmlkit up --name`");
  auto state = arguments.option("--state", Kind::file, state_, "The machine of this state file").excludes(name);
  state.default_text("NVMLKIT_STATE, else the machine of `nvmlkit up` without a name, else /run/nvmlkit/state");
  return {name, state};
}

std::string UpMachineOptions::path() const {
  if (!state_.empty()) return absolute(state_);
  if (!name_.empty()) return state_of_name(name_);
  if (const auto named = state_in_environment()) return *named;
  return state_of_name(kDefaultName);
}

std::string UpMachineOptions::existing_path() const {
  const auto out = path();
  if (access(out.c_str(), F_OK) == 0) return out;
  const bool usual = !given() && !state_in_environment();
  if (!usual && name_.empty()) return out;  // the message of who opens it is about the file
  if (usual)
    if (auto shared = state_of_container()) return *shared;
  const auto up = list_state_names();
  const auto make = usual ? "`nvmlkit up`" : fmt::format("`nvmlkit up --name {}`", name_);
  throw CommandError({.kind = sim::ProblemKind::unusable_file,
                      .what = fmt::format("no machine {}is up{}", usual ? "" : fmt::format("of the name '{}' ", name_),
                                          up.empty() ? "" : fmt::format(" (but these, by --name: {})", up)),
                      .hint = "make it with " + make,
                      .place = {.file = out}});
}

void MachineOptions::declare(Arguments& arguments) {
  const auto made = made_.declare(arguments);
  for (auto& up : up_.declare(arguments))
    for (const auto& other : made) up.excludes(other);
}

bool MachineOptions::given() const {
  const auto chosen = choice();
  return up_.given() || !chosen.machine.empty() || chosen.gpu_count || !chosen.driver.empty();
}

std::optional<std::string> MachineOptions::state() const {
  const auto chosen = choice();
  if (!chosen.machine.empty()) return std::nullopt;
  if (up_.given()) return up_.existing_path();
  const auto inherited = state_in_environment();
  if (inherited && chosen.gpu_count)
    throw CommandError(sim::contradiction("-n needs -m or -c while NVMLKIT_STATE names a machine that is up"));
  return inherited;
}

void MachineOptions::export_all() const {
  export_choice(choice());
  if (const auto path = state()) setenv("NVMLKIT_STATE", path->c_str(), 1);
}

}  // namespace nvmlkit::cli
