#include "scenario/run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nvmlkit::scenario {

using namespace sim;

namespace {

// How often conditions are looked at while values move.
constexpr std::int64_t kSampleNs = 100'000'000;

std::int64_t ns_of(double seconds) { return std::llround(seconds * 1e9); }

bool moves(const Machine& machine) {
  const auto gpus = machine.gpus();
  return std::any_of(gpus.begin(), gpus.end(), [](const auto& gpu) { return gpu.motion.moving != 0; });
}

bool is_timer(const Progress& progress) {
  return progress.phase == Phase::scheduled || progress.phase == Phase::holding;
}

std::int64_t due_of(const Progress& progress) {
  return progress.phase == Phase::scheduled ? progress.planned_ns : progress.until_ns.value_or(0);
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  constexpr std::string_view kNames[kOutcomes] = {"done",      "failed",      "left out",
                                                  "elsewhere", "not reached", "interrupted"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Run::Run(Plan plan, const Machine& machine, Hooks hooks)
    : plan_(std::move(plan)), machine_(machine), hooks_(std::move(hooks)), progress_(plan_.steps().size()) {
  for (std::size_t i = 0; i < progress_.size(); ++i)
    if (i == 0 || !plan_.scenario().steps[i].after) schedule(i, 0);
}

void Run::schedule(std::size_t step, std::int64_t from_ns) {
  progress_[step].phase = Phase::scheduled;
  progress_[step].planned_ns = from_ns + plan_.steps()[step].begin_ns;
}

void Run::restore(std::vector<Progress> progress, std::vector<steering::Undo> undo) {
  progress_ = std::move(progress);
  undo_ = std::move(undo);
  for (std::size_t i = 0; i < progress_.size(); ++i) {
    if (progress_[i].phase != Phase::doing) continue;
    if (plan_.scenario().steps[i].hold_s) take_back(progress_[i].undo);
    finish(i, progress_[i].began_ns, Outcome::interrupted, "the program ended in the middle of this step");
  }
}

std::optional<std::size_t> Run::first_due(std::int64_t now_ns) const {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < progress_.size(); ++i)
    if (is_timer(progress_[i]) && due_of(progress_[i]) <= now_ns &&
        (!first || due_of(progress_[i]) < due_of(progress_[*first])))
      first = i;
  return first;
}

void Run::advance(std::int64_t now_ns) {
  const auto& end_s = plan_.scenario().end_s;
  for (bool changed = true; changed;) {
    changed = false;
    while (const auto step = first_due(now_ns)) {
      if (end_s && due_of(progress_[*step]) >= ns_of(*end_s)) break;
      act(*step, now_ns);
      changed = true;
    }
    for (std::size_t i = 0; i < progress_.size(); ++i) changed |= look(i, now_ns);
  }
  if (end_s && now_ns >= ns_of(*end_s) && !is_over()) end(now_ns);
}

std::optional<std::int64_t> Run::next(std::int64_t now_ns) const {
  std::optional<std::int64_t> out;
  const auto consider = [&](std::int64_t at) { out = std::min(out.value_or(at), at); };
  for (const auto& progress : progress_) {
    if (is_timer(progress)) consider(due_of(progress));
    if (progress.phase != Phase::watching && progress.phase != Phase::expecting) continue;
    if (progress.until_ns) consider(*progress.until_ns);
    if (moves(machine_)) consider(now_ns + kSampleNs);
  }
  if (plan_.scenario().end_s && !is_over()) consider(ns_of(*plan_.scenario().end_s));
  return out;
}

bool Run::is_over() const {
  return std::all_of(progress_.begin(), progress_.end(), [](const auto& each) { return each.phase == Phase::over; });
}

std::uint64_t Run::count(Outcome outcome) const {
  std::uint64_t sum = 0;
  for (const auto& progress : progress_) sum += progress.counts[static_cast<std::size_t>(outcome)];
  return sum;
}

void Run::end(std::int64_t now_ns) {
  for (std::size_t i = 0; i < progress_.size(); ++i) {
    auto& progress = progress_[i];
    if (progress.phase == Phase::over) continue;
    ++transitions_;
    const bool begun = progress.phase != Phase::waiting && progress.phase != Phase::scheduled;
    const bool only_repeats = !begun && progress.round > 0;
    const auto was = std::exchange(progress.phase, Phase::over);
    if (was == Phase::holding) take_back(progress.undo);
    if (only_repeats) continue;
    const bool good = was == Phase::holding;
    Result result{i,
                  progress.round,
                  good ? Outcome::done : Outcome::not_reached,
                  begun ? progress.began_ns : now_ns,
                  now_ns,
                  std::move(progress.did),
                  good ? "" : "the scenario ended before"};
    ++progress.counts[static_cast<std::size_t>(result.outcome)];
    hooks_.result(result);
  }
}

void Run::undo() { take_back(undo_); }

// What cannot be taken back any more, because the machine is another, stays.
void Run::take_back(std::vector<steering::Undo>& list) {
  while (!list.empty()) {
    const auto words = std::move(list.back().words);
    list.pop_back();
    const auto undo = steering::undo_of(machine_, words);
    if (steering::steer(machine_, words)) forget_voided(undo, undo_);
  }
}

void Run::finish(std::size_t step, std::int64_t now_ns, Outcome outcome, std::string message) {
  auto& progress = progress_[step];
  const auto& of = plan_.scenario().steps[step];
  ++transitions_;
  ++progress.counts[static_cast<std::size_t>(outcome)];
  if (outcome == Outcome::failed || outcome == Outcome::interrupted) progress.message = message;
  const Result result{step,   progress.round,          outcome,           progress.began_ns,
                      now_ns, std::move(progress.did), std::move(message)};
  progress.did.clear();
  progress.until_ns.reset();
  if (of.every_s && (!of.rounds || progress.round + 1 < *of.rounds) && outcome != Outcome::elsewhere) {
    const auto every = std::max<std::int64_t>(ns_of(*of.every_s), 1);
    progress.planned_ns += every;
    // Rounds that were missed while no program ran do not come all at once.
    if (const auto late = now_ns - progress.planned_ns; late >= every) progress.planned_ns += late / every * every;
    ++progress.round;
    progress.phase = Phase::scheduled;
  } else {
    progress.phase = Phase::over;
    if (step + 1 < progress_.size() && progress_[step + 1].phase == Phase::waiting) schedule(step + 1, now_ns);
  }
  hooks_.result(result);
}

}  // namespace nvmlkit::scenario
