// A scenario as it happens on a machine. The caller lets time pass and calls advance(); the run never waits and never
// sets a clock. Times are the machine's, from the beginning of the run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenario/plan.hpp"
#include "sim/state/machine.hpp"
#include "sim/steering/undo.hpp"

namespace nvmlkit::scenario {

enum class Outcome : std::uint8_t {
  done,
  failed,       // a command was refused, or an expectation did not hold
  left_out,     // by `chance` or `if`, or no GPU was drawn
  elsewhere,    // not on this node
  not_reached,  // the scenario ended before
  interrupted,  // the program was ended in the middle of it: whether it happened is unknown
};
inline constexpr std::size_t kOutcomes = 6;
std::string_view name_of(Outcome outcome);

// One round of a step.
struct Result {
  std::size_t step = 0;
  std::uint32_t round = 0;
  Outcome outcome = Outcome::done;
  std::int64_t began_ns = 0, ended_ns = 0;
  std::vector<std::string> did;  // the commands that were done
  std::string message;           // what is wrong, or why it was left out
};

enum class Phase : std::uint8_t { waiting, scheduled, watching, doing, expecting, holding, over };

// Where a step is; all that has to outlive the program.
struct Progress {
  Phase phase = Phase::waiting;
  std::int64_t planned_ns = 0;                // when this round was to begin
  std::int64_t began_ns = 0;                  // and when it did
  std::optional<std::int64_t> until_ns = {};  // the deadline of watching and expecting, the end of holding
  std::uint32_t round = 0;
  std::uint64_t counts[kOutcomes] = {};
  std::string message = {};  // of the last failure
  std::vector<sim::steering::Undo> undo = {};
  std::vector<std::string> did = {};
};

// Takes out of the list what a command with this undo has taken back already.
void forget_voided(const std::vector<sim::steering::Undo>& undo, std::vector<sim::steering::Undo>& list);

class Run {
 public:
  struct Hooks {
    std::function<void()> before_commands = [] {};  // progress() has to outlive the program from here on
    std::function<void(const Result&)> result = [](const Result&) {};
  };

  // The machine has to outlive the run.
  Run(Plan plan, const sim::Machine& machine, Hooks hooks);

  // Continues where another program was, with its progress() and undo().
  void restore(std::vector<Progress> progress, std::vector<sim::steering::Undo> undo);

  // Does everything that is due.
  void advance(std::int64_t now_ns);
  // When advance() has something to do again unless the machine is changed; nothing: never.
  std::optional<std::int64_t> next(std::int64_t now_ns) const;
  // Ends it now: what has not begun is not reached.
  void end(std::int64_t now_ns);
  bool is_over() const;

  // Takes back what the scenario did.
  void undo();

  const Plan& plan() const { return plan_; }
  const std::vector<Progress>& progress() const { return progress_; }
  const std::vector<sim::steering::Undo>& undo_list() const { return undo_; }
  std::uint64_t count(Outcome outcome) const;
  // Grows whenever progress() changes.
  std::uint64_t transitions() const { return transitions_; }

 private:
  std::optional<std::size_t> first_due(std::int64_t now_ns) const;
  void schedule(std::size_t step, std::int64_t from_ns);
  void act(std::size_t step, std::int64_t now_ns);
  void begin(std::size_t step, std::int64_t now_ns);
  bool look(std::size_t step, std::int64_t now_ns);
  bool watch(std::size_t step, std::int64_t now_ns);
  bool expect(std::size_t step, std::int64_t now_ns);
  void do_lines(std::size_t step, std::int64_t now_ns);
  void commands_done(std::size_t step, std::int64_t now_ns);
  void give_up(std::size_t step, std::int64_t now_ns, std::string message);
  void hold(std::size_t step, std::int64_t now_ns);
  void take_back(std::vector<sim::steering::Undo>& list);
  void finish(std::size_t step, std::int64_t now_ns, Outcome outcome, std::string message = {});

  Plan plan_;
  const sim::Machine& machine_;
  Hooks hooks_;
  std::vector<Progress> progress_;
  std::vector<sim::steering::Undo> undo_;
  std::uint64_t transitions_ = 0;
};

}  // namespace nvmlkit::scenario
