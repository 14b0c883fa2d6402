#include "sim/steering/command.hpp"

#include "sim/problem/names.hpp"
#include "sim/steering/fault.hpp"
#include "sim/steering/mig.hpp"
#include "sim/steering/process.hpp"

namespace nvmlkit::sim::steering {
namespace {

// What a command did is for those that ask for it.
template <class Command, class Change>
Expected<void> change(const Machine& machine, const Expected<Command>& command, Change change_machine) {
  if (!command) return fail(command.error());
  const auto done = change_machine(machine, *command);
  return done ? Expected<void>() : fail(done.error());
}

}  // namespace

Expected<void> steer(const Machine& machine, Words words) {
  constexpr std::string_view kCommands[] = {"set", "release", "load", "time", "fault", "heal", "mig", "process"};
  const std::string what = words.empty() ? "" : words[0];
  const auto rest = words.empty() ? words : words.subspan(1);
  if (what == "time") return pass_time(machine, rest);
  if (what == "fault") return inject(machine, rest);
  if (what == "heal") return heal(machine, rest);
  if (what == "mig") return change(machine, read_mig(rest), change_mig);
  if (what == "process") return change(machine, read_process(rest), change_processes);
  if (what == "set" || what == "release" || what == "load") {
    if (rest.empty())
      return fail({.kind = ProblemKind::missing, .what = what + " which GPU? For example: " + what + " gpu=0"});
    if (what == "set") return set(machine, rest[0], rest.subspan(1));
    if (what == "load") return load(machine, rest[0], rest.subspan(1));
    if (rest.size() > 2) return fail(unexpected_word(rest[2]));
    return release(machine, rest[0], rest.size() > 1 ? rest[1] : "all");
  }
  return fail(unknown_name("command", what, kCommands));
}

}  // namespace nvmlkit::sim::steering
