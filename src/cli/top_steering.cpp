#include "cli/top_steering.hpp"

#include <utility>
#include <vector>

#include "cli/selector.hpp"
#include "sim/problem/text.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/common_faults.hpp"

namespace nvmlkit::cli {
namespace {

class MachineSteering final : public top::Steering {
 public:
  explicit MachineSteering(std::unique_ptr<sim::Machine> machine) : machine_(std::move(machine)) {}

  std::string steer(const std::vector<std::string>& words) override {
    const auto done = sim::steering::steer(*machine_, words);
    return done ? "" : sim::text_of(done.error());
  }
  std::vector<std::string> faults() const override {
    const auto common = sim::steering::common_faults();
    return {common.begin(), common.end()};
  }

 private:
  std::unique_ptr<sim::Machine> machine_;
};

}  // namespace

std::unique_ptr<top::Steering> steering_of(const std::string& state) {
  return std::make_unique<MachineSteering>(attach(state));
}

}  // namespace nvmlkit::cli
