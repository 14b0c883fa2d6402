// What of a scenario happens on one machine of one node: every draw is made here, so that two plans of one scenario are
// the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenario/language.hpp"
#include "scenario/node.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::scenario {

struct PlannedStep {
  bool here = false;              // on this node
  std::vector<std::size_t> gpus;  // places of the GPUs that lines and conditions are about
  std::int64_t begin_ns = 0;      // from the beginning, or from the end of the step before
};

class Plan {
 public:
  // Refuses what cannot be right on this machine: GPUs that it does not have, commands that it does not know. It tries
  // each command on a copy of the machine.
  static sim::Expected<Plan> make(Scenario scenario, NodeIdentity node, const sim::Machine& machine);

  const Scenario& scenario() const { return scenario_; }
  const std::vector<PlannedStep>& steps() const { return steps_; }

  // Is the round of the step done? Its `chance` decides.
  bool takes_place(std::size_t step, std::uint32_t round) const;
  // The lines of a round: all, or the one that is drawn.
  std::vector<const Line*> lines_of(std::size_t step, std::uint32_t round) const;
  // The words for the machine, with the GPUs that the line is about. Empty where no GPU was drawn.
  std::vector<std::string> words_of(std::size_t step, const Line& line) const;

 private:
  Plan(Scenario scenario, NodeIdentity node, std::size_t gpu_count)
      : scenario_(std::move(scenario)), node_(std::move(node)), gpu_count_(gpu_count) {}

  std::string key_of(std::string_view what) const;
  sim::Expected<std::vector<std::size_t>> choose(const GpuChoice& choice, const sim::Machine& machine) const;
  sim::Expected<void> plan_step(std::size_t index, const sim::Machine& machine);
  sim::Expected<void> check(const sim::Machine& machine) const;
  sim::Expected<void> check_step(std::size_t index, const sim::Machine& copy) const;

  Scenario scenario_;
  NodeIdentity node_;
  std::size_t gpu_count_;
  std::vector<PlannedStep> steps_;
};

// Refuses a scenario that may never end: a step that repeats or waits without end, in one without `end`.
sim::Expected<void> check_end(const Scenario& scenario);

}  // namespace nvmlkit::scenario
