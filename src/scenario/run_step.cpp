// The phases of one step.
#include <algorithm>
#include <cmath>
#include <utility>

#include "scenario/run.hpp"
#include "sim/problem/text.hpp"
#include "sim/steering/command.hpp"

namespace nvmlkit::scenario {

using namespace sim;

namespace {

std::int64_t ns_after(std::int64_t now_ns, double seconds) { return now_ns + std::llround(seconds * 1e9); }

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out.append(out.empty() ? "" : " ").append(word);
  return out;
}

std::string not_within(const Condition& condition, const std::optional<double>& within_s, const std::string& seen) {
  std::string out = condition.text + " did not hold";
  if (within_s) {
    const auto ms = std::llround(*within_s * 1000);
    out += ms % 1000 == 0 ? " within " + std::to_string(ms / 1000) + "s" : " within " + std::to_string(ms) + "ms";
  }
  return out + "; seen: " + seen;
}

bool has_key(const std::vector<steering::Undo>& list, const std::string& key) {
  return std::any_of(list.begin(), list.end(), [&](const auto& other) { return other.key == key; });
}

// Adds what the list does not know yet. True where there was some.
bool note(const std::vector<steering::Undo>& undo, std::vector<steering::Undo>& list) {
  const auto before = list.size();
  for (const auto& each : undo)
    if (!has_key(list, each.key) && !has_key(list, each.voids)) list.push_back(each);
  return list.size() != before;
}

}  // namespace

void forget_voided(const std::vector<steering::Undo>& undo, std::vector<steering::Undo>& list) {
  for (const auto& each : undo)
    if (!each.voids.empty()) std::erase_if(list, [&](const auto& other) { return other.key == each.voids; });
}

// A timer of the step is due.
void Run::act(std::size_t step, std::int64_t now_ns) {
  if (progress_[step].phase == Phase::holding) {
    take_back(progress_[step].undo);
    finish(step, now_ns, Outcome::done);
  } else {
    begin(step, now_ns);
  }
}

void Run::begin(std::size_t step, std::int64_t now_ns) {
  auto& progress = progress_[step];
  const auto& of = plan_.scenario().steps[step];
  ++transitions_;
  progress.began_ns = now_ns;
  if (!plan_.steps()[step].here) return finish(step, now_ns, Outcome::elsewhere);
  if (!plan_.takes_place(step, progress.round)) return finish(step, now_ns, Outcome::left_out, "by its chance");
  if (of.only_if) {
    const auto verdict = evaluate(*of.only_if, machine_, plan_.steps()[step].gpus);
    if (!verdict) return finish(step, now_ns, Outcome::failed, message_of(verdict.error()));
    if (!verdict->holds) return finish(step, now_ns, Outcome::left_out, "if: " + verdict->seen);
  }
  if (!of.when) return do_lines(step, now_ns);
  progress.phase = Phase::watching;
  if (of.within_s && of.expect.empty()) progress.until_ns = ns_after(now_ns, *of.within_s);
}

// Looks at the conditions that the step waits for. True where it goes on.
bool Run::look(std::size_t step, std::int64_t now_ns) {
  if (progress_[step].phase == Phase::watching) return watch(step, now_ns);
  return progress_[step].phase == Phase::expecting && expect(step, now_ns);
}

bool Run::watch(std::size_t step, std::int64_t now_ns) {
  auto& progress = progress_[step];
  const auto& of = plan_.scenario().steps[step];
  const auto verdict = evaluate(*of.when, machine_, plan_.steps()[step].gpus);
  if (!verdict) {
    finish(step, now_ns, Outcome::failed, message_of(verdict.error()));
  } else if (verdict->holds) {
    progress.until_ns.reset();
    do_lines(step, now_ns);
  } else if (progress.until_ns && now_ns >= *progress.until_ns) {
    finish(step, now_ns, Outcome::failed, not_within(*of.when, of.within_s, verdict->seen));
  } else {
    return false;
  }
  return true;
}

void Run::do_lines(std::size_t step, std::int64_t now_ns) {
  auto& progress = progress_[step];
  const auto lines = plan_.lines_of(step, progress.round);
  std::vector<std::vector<std::string>> commands;
  for (const auto* line : lines)
    if (auto words = plan_.words_of(step, *line); !words.empty()) commands.push_back(std::move(words));
  if (commands.empty() && !lines.empty()) return finish(step, now_ns, Outcome::left_out, "no GPU was drawn");
  ++transitions_;
  progress.undo.clear();
  if (!commands.empty()) progress.phase = Phase::doing;
  for (const auto& words : commands) {
    // One command after the other: what takes back a command can depend on those before it.
    const auto undo = steering::undo_of(machine_, words);
    const bool more = note(undo, undo_) | note(undo, progress.undo);
    if (more || &words == &commands.front()) hooks_.before_commands();
    progress.did.push_back(joined(words));
    const auto done = steering::steer(machine_, words);
    if (!done) {
      auto message = progress.did.back() + ": " + message_of(done.error());
      progress.did.pop_back();
      return give_up(step, now_ns, std::move(message));
    }
    forget_voided(undo, undo_);
    forget_voided(undo, progress.undo);
  }
  commands_done(step, now_ns);
}

// What was to hold for a while ends at once.
void Run::give_up(std::size_t step, std::int64_t now_ns, std::string message) {
  if (plan_.scenario().steps[step].hold_s) take_back(progress_[step].undo);
  finish(step, now_ns, Outcome::failed, std::move(message));
}

void Run::commands_done(std::size_t step, std::int64_t now_ns) {
  const auto& of = plan_.scenario().steps[step];
  if (of.expect.empty()) return hold(step, now_ns);
  progress_[step].phase = Phase::expecting;
  progress_[step].until_ns = ns_after(now_ns, of.within_s.value_or(0));
}

bool Run::expect(std::size_t step, std::int64_t now_ns) {
  const auto& of = plan_.scenario().steps[step];
  const bool late = now_ns >= progress_[step].until_ns.value_or(0);
  for (const auto& condition : of.expect) {
    const auto verdict = evaluate(condition, machine_, plan_.steps()[step].gpus);
    if (verdict && verdict->holds) continue;
    if (verdict && !late) return false;
    give_up(step, now_ns, verdict ? not_within(condition, of.within_s, verdict->seen) : message_of(verdict.error()));
    return true;
  }
  hold(step, now_ns);
  return true;
}

void Run::hold(std::size_t step, std::int64_t now_ns) {
  auto& progress = progress_[step];
  const auto& of = plan_.scenario().steps[step];
  if (!of.hold_s) return finish(step, now_ns, Outcome::done);
  progress.phase = Phase::holding;
  progress.until_ns = ns_after(progress.began_ns, *of.hold_s);
}

}  // namespace nvmlkit::scenario
