#include "scenario/shelf.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenario/read.hpp"
#include "sim/problem/text.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/command.hpp"

namespace nvmlkit::scenario {

using namespace sim;

namespace {

std::string name_of(const Machine& machine) {
  return std::to_string(machine.header().created) + "." + std::to_string(machine.header().creator);
}

double pace_now(const Machine& machine) {
  Clock clock{};
  static_cast<void>(state::consistently(machine, machine.sequence(), [&] { clock = machine.host().clock; }));
  return clock.set == 0 ? 1 : clock.pace;
}

}  // namespace

Shelf::Shelf(const Machine& machine, ShelfOptions options)
    : machine_(machine),
      options_(std::move(options)),
      machine_name_(name_of(machine)),
      before_(read_memory(options_.memory, machine_name_)) {}

void Shelf::show(const std::string& file, const Result& result) {
  const auto& scenario = entries_.at(file).run->plan().scenario();
  auto line = file + ": " + title_of(scenario.steps[result.step], result.step) + " " +
              std::string(scenario::name_of(result.outcome));
  for (std::size_t i = 0; i < result.did.size(); ++i) line += (i == 0 ? ": " : "; ") + result.did[i];
  if (!result.message.empty()) line += ": " + result.message;
  const bool wrong = result.outcome == Outcome::failed || result.outcome == Outcome::interrupted;
  (wrong ? options_.complain : options_.tell)(line);
}

void Shelf::remember() {
  Memory memory = before_;
  for (const auto& [file, entry] : entries_)
    if (entry.run)
      memory[file] = {entry.hash, entry.begin_ns, entry.run->plan().scenario().undo, entry.run->progress(),
                      entry.run->undo_list()};
  const auto written = write_memory(options_.memory, machine_name_, memory);
  const auto problem = written ? "" : text_of(written.error());
  if (!problem.empty() && problem != told_) options_.complain(problem);
  told_ = problem;
}

void Shelf::begin(const std::string& file, Entry& entry, const std::string& hash, Plan plan) {
  const auto title = plan.scenario().name;
  const auto steps = plan.steps().size();
  entry.hash = hash;
  entry.begin_ns = now_ns(machine_);
  entry.run = std::make_unique<Run>(
      std::move(plan), machine_,
      Run::Hooks{[this] { remember(); }, [this, file](const Result& result) { show(file, result); }});
  const auto known = before_.extract(file);
  const bool same = !known.empty() && known.mapped().hash == hash && known.mapped().progress.size() == steps;
  if (same) {
    entry.begin_ns = known.mapped().begin_ns;
    entry.run->restore(known.mapped().progress, known.mapped().undo);
  }
  options_.tell(file + ": " + title + (same ? " continues" : " begins"));
}

// Ends what runs in the name of the file.
void Shelf::drop(const std::string& file, Entry& entry) {
  if (!entry.run) return;
  const bool undo = entry.run->plan().scenario().undo;
  if (undo) entry.run->undo();
  options_.tell(file + ": ended" + (undo ? ", and what it did is taken back" : ""));
  entry.run.reset();
}

// What the program before did in the name of a file that is another now.
void Shelf::forget(const std::string& file) {
  const auto known = before_.extract(file);
  if (known.empty()) return;
  auto& undo = known.mapped().undo;
  for (; known.mapped().undo_wanted && !undo.empty(); undo.pop_back())
    static_cast<void>(steering::steer(machine_, undo.back().words));
  options_.tell(file + ": ended" + (known.mapped().undo_wanted ? ", and what it did is taken back" : ""));
}

void Shelf::accept(const std::string& file, const Expected<std::string>& text) {
  auto& entry = entries_[file];
  const auto hash = text ? hash_of_text(*text) : "unreadable";
  if (entry.run && entry.hash == hash) {
    entry.refused.clear();
    entry.problem.clear();
    return;
  }
  if (entry.refused == hash) return;
  auto scenario = text ? read(file, *text) : fail(text.error());
  auto plan = scenario ? Plan::make(std::move(*scenario), options_.node, machine_) : fail(std::move(scenario.error()));
  if (!plan) {
    entry.refused = hash;
    entry.problem = text_of(plan.error());
    options_.complain(entry.problem);
    return;
  }
  entry.refused.clear();
  entry.problem.clear();
  drop(file, entry);
  if (const auto known = before_.find(file); known != before_.end() && known->second.hash != hash) forget(file);
  begin(file, entry, hash, std::move(*plan));
}

void Shelf::update(const Files& files) {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (files.contains(entry->first)) {
      ++entry;
      continue;
    }
    drop(entry->first, entry->second);
    entry = entries_.erase(entry);
  }
  std::vector<std::string> gone;
  for (const auto& [file, known] : before_)
    if (!files.contains(file)) gone.push_back(file);
  for (const auto& file : gone) forget(file);
  for (const auto& [file, text] : files) accept(file, text);
  remember();
}

void Shelf::advance() {
  bool changed = false;
  for (auto& [file, entry] : entries_) {
    if (!entry.run || entry.run->is_over()) continue;
    const auto before = entry.run->transitions();
    entry.run->advance(now_ns(machine_) - entry.begin_ns);
    changed |= before != entry.run->transitions();
  }
  if (changed) remember();
}

std::optional<std::chrono::milliseconds> Shelf::next() const {
  constexpr double kLongest = 1e9;  // ten days: poll() counts with an int
  const double pace = pace_now(machine_);
  if (!(pace > 0)) return std::nullopt;  // who moves the time changes the machine
  std::optional<std::chrono::milliseconds> out;
  for (const auto& [file, entry] : entries_) {
    if (!entry.run || entry.run->is_over()) continue;
    const auto now = now_ns(machine_) - entry.begin_ns;
    const auto due = entry.run->next(now);
    if (!due) continue;
    const double ms = std::ceil(static_cast<double>(*due - now) / pace / 1e6);
    const std::chrono::milliseconds wait(static_cast<std::int64_t>(std::clamp(ms, 1.0, kLongest)));
    out = std::min(out.value_or(wait), wait);
  }
  return out;
}

std::vector<ShelfStatus> Shelf::status() const {
  std::vector<ShelfStatus> out;
  for (const auto& [file, entry] : entries_) {
    ShelfStatus each{file, "", "refused", entry.problem, {}, 0};
    if (entry.run) {
      each.scenario = entry.run->plan().scenario().name;
      if (entry.problem.empty()) each.state = entry.run->is_over() ? "over" : "running";
      for (std::size_t i = 0; i < kOutcomes; ++i) each.counts[i] = entry.run->count(static_cast<Outcome>(i));
      for (const auto& progress : entry.run->progress()) each.pending += progress.phase != Phase::over;
    }
    out.push_back(std::move(each));
  }
  return out;
}

}  // namespace nvmlkit::scenario
