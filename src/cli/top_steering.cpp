#include "cli/top_steering.hpp"

#include <utility>
#include <vector>

#include "cli/selector.hpp"
#include "sim/problem/text.hpp"
#include "sim/steering/command.hpp"

namespace nvmlkit::cli {
namespace {

// Words that `nvmlkit fault gpu=0` takes; a test tries all of them.
constexpr const char* kFaults[] = {"xid 79",
                                   "xid 48",
                                   "xid 63",
                                   "xid 74",
                                   "xid 94",
                                   "xid 95",
                                   "xid 119",
                                   "lost",
                                   "off-bus",
                                   "reset-required",
                                   "thermal hw",
                                   "thermal sw",
                                   "power-brake",
                                   "ecc dram corrected --count 10",
                                   "ecc dram uncorrected",
                                   "ecc l2 uncorrected",
                                   "remap pending",
                                   "remap failed",
                                   "nvlink 0 down",
                                   "nvlink all down",
                                   "nvlink 0 errors",
                                   "fan all",
                                   "inforom",
                                   "recovery reset",
                                   "fabric degraded-bandwidth",
                                   "removed"};

class MachineSteering final : public top::Steering {
 public:
  explicit MachineSteering(std::unique_ptr<sim::Machine> machine) : machine_(std::move(machine)) {}

  std::string steer(const std::vector<std::string>& words) override {
    const auto done = sim::steering::steer(*machine_, words);
    return done ? "" : sim::text_of(done.error());
  }
  std::vector<std::string> faults() const override { return {std::begin(kFaults), std::end(kFaults)}; }

 private:
  std::unique_ptr<sim::Machine> machine_;
};

}  // namespace

std::unique_ptr<top::Steering> steering_of(const std::string& state) {
  return std::make_unique<MachineSteering>(attach(state));
}

}  // namespace nvmlkit::cli
