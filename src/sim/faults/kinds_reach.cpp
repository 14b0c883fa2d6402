// Xids, unreachable GPUs, and the recovery action that the driver advises.
#include "sim/faults/inject.hpp"
#include "sim/faults/kind_words.hpp"
#include "sim/generated/xids.hpp"

namespace nvmlkit::sim::faults {
namespace {

using model::Gpu;

Expected<void> inject_xid(Gpu& gpu, Words arguments) {
  const bool force = arguments.size() > 1 && arguments[1] == "--force";
  if (arguments.empty()) return fail(missing("the number of an Xid, such as 79"));
  if (auto good = no_more(arguments, force ? 2 : 1); !good) return good;
  const auto wanted = number(arguments[0]);
  if (!wanted || *wanted == 0 || *wanted > 0xFFFFFFFF)
    return fail(wrong_value("the number of an Xid, such as 79", quote(arguments[0])));
  const bool known = std::any_of(std::begin(xids), std::end(xids), [&](const Xid& x) { return x.number == *wanted; });
  if (!known && !force)
    return fail({.kind = ProblemKind::unknown_name,
                 .what = "no driver raises Xid " + arguments[0],
                 .hint = "--force raises it all the same"});
  raise_xid(gpu, static_cast<std::uint32_t>(*wanted));
  return {};
}

Active active_xid(const Gpu& gpu) {
  if (gpu.faults.last_xid == 0) return {};
  return {std::to_string(gpu.faults.last_xid)};
}

template <Availability availability>
Expected<void> unavailable(Gpu& gpu, Words arguments) {
  if (auto good = no_more(arguments, 0); !good) return good;
  set_availability(gpu, availability);
  return {};
}

template <Availability availability>
void available(Gpu& gpu) {
  if (gpu.faults.availability == availability) set_availability(gpu, Availability::available);
}

template <Availability availability>
Active is_unavailable(const Gpu& gpu) {
  return gpu.faults.availability == availability ? Active{""} : Active{};
}

struct NamedAction {
  std::string_view name;
  std::uint32_t action;
};
constexpr NamedAction kActions[] = {
    {"reset", model::RecoveryAction::reset},         {"reboot", model::RecoveryAction::reboot},
    {"bus-reset", model::RecoveryAction::bus_reset}, {"system-reboot", model::RecoveryAction::system_reboot},
    {"drain-p2p", model::RecoveryAction::drain_p2p}, {"drain-and-reset", model::RecoveryAction::drain_and_reset}};

Expected<void> inject_recovery(Gpu& gpu, Words arguments) {
  if (arguments.empty())
    return fail(missing("one of reset, reboot, bus-reset, system-reboot, drain-p2p, drain-and-reset"));
  if (auto good = no_more(arguments, 1); !good) return good;
  const auto* wanted = find(kActions, arguments[0]);
  if (!wanted) return unknown("recovery action", arguments[0], kActions);
  advise(gpu, wanted->action);
  return {};
}

// What the driver advises for a GPU that is out of reach goes with that.
void heal_recovery(Gpu& gpu) {
  if (gpu.faults.availability == Availability::available) forget_advice(gpu);
}

Active active_recovery(const Gpu& gpu) {
  if (gpu.faults.availability != Availability::available) return {};
  for (const auto& known : kActions)
    if (gpu.reset_status.recovery_action && *gpu.reset_status.recovery_action == known.action)
      return {std::string(known.name)};
  return {};
}

void forget_xid(Gpu& gpu) { gpu.faults.last_xid = 0; }

}  // namespace

constexpr Kind kind::xid{"xid", "NUMBER [--force]", inject_xid, forget_xid, active_xid};
constexpr Kind kind::lost{"lost", "", unavailable<Availability::lost>, available<Availability::lost>,
                          is_unavailable<Availability::lost>};
constexpr Kind kind::reset_required{"reset-required", "", unavailable<Availability::reset_required>,
                                    available<Availability::reset_required>,
                                    is_unavailable<Availability::reset_required>};
constexpr Kind kind::off_bus{"off-bus", "", unavailable<Availability::off_bus>, available<Availability::off_bus>,
                             is_unavailable<Availability::off_bus>};
constexpr Kind kind::removed{"removed", "", unavailable<Availability::removed>, available<Availability::removed>,
                             is_unavailable<Availability::removed>};
constexpr Kind kind::recovery{"recovery", "reset|reboot|bus-reset|system-reboot|drain-p2p|drain-and-reset",
                              inject_recovery, heal_recovery, active_recovery};

}  // namespace nvmlkit::sim::faults
