#include "sim/steering/command.hpp"

#include "sim/problem/names.hpp"
#include "sim/steering/fault.hpp"

namespace nvmlkit::sim::steering {

Expected<void> steer(const Machine& machine, Words words) {
  constexpr std::string_view kCommands[] = {"set", "release", "load", "time", "fault", "heal"};
  const std::string what = words.empty() ? "" : words[0];
  const auto rest = words.empty() ? words : words.subspan(1);
  if (what == "time") return pass_time(machine, rest);
  if (what == "fault") return inject(machine, rest);
  if (what == "heal") return heal(machine, rest);
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
