#include "cli/pace.hpp"

#include "cli/command_error.hpp"
#include "sim/problem/names.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/command.hpp"

namespace nvmlkit::cli {

void PaceOptions::declare(Arguments& arguments, const std::string& still, const std::string& fast) {
  auto stands = arguments.flag("--virtual", still_, still);
  arguments.option("--speed", Kind::number, speed_, fast).default_text("as it passes on the machine").excludes(stands);
}

std::optional<double> PaceOptions::wanted() const {
  if (still_) return 0;
  if (speed_.empty()) return std::nullopt;
  const auto pace = sim::parse_pace(speed_);
  if (!pace || *pace == 0)
    throw CommandError(of_argument("--speed", sim::wrong_value("a factor from 0.001 to 1000000", sim::quote(speed_))));
  return pace;
}

Pace::Pace(const sim::Machine& machine, std::optional<double> wanted) : machine_(machine) {
  if (!wanted) return;
  (void)sim::state::consistently(machine, machine.sequence(), [&] { before_ = machine.host().clock; });
  accept(sim::steering::set_pace(machine, *wanted));
  changed_ = true;
}

Pace::~Pace() {
  if (changed_) (void)sim::steering::set_pace(machine_, before_.set == 0 ? 1 : before_.pace);
}

}  // namespace nvmlkit::cli
