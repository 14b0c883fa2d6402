#include "scenario/plan.hpp"

#include <algorithm>
#include <cmath>

#include "scenario/draw.hpp"
#include "sim/state/follow.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/selector.hpp"

namespace nvmlkit::scenario {

using namespace sim;

namespace {

std::string selector_of(const std::vector<std::size_t>& gpus, std::size_t of) {
  if (gpus.size() == of) return "gpu=all";
  std::string out = "gpu=";
  for (const auto gpu : gpus) out.append(out.size() > 4 ? "," : "").append(std::to_string(gpu));
  return out;
}

// A problem that the words alone have, whatever the machine's state is when they are done.
bool is_of_words(const Problem& problem) {
  return problem.kind != ProblemKind::impossible && problem.kind != ProblemKind::contradiction &&
         problem.kind != ProblemKind::busy;
}

}  // namespace

std::string Plan::key_of(std::string_view what) const {
  return scenario_.seed + '\n' + node_.name + '\n' + std::string(what);
}

Expected<std::vector<std::size_t>> Plan::choose(const GpuChoice& choice, const Machine& machine) const {
  if (!choice.group.empty()) return choose(scenario_.groups.at(choice.group), machine);
  if (machine.gpus().empty()) return std::vector<std::size_t>();
  std::string words = "gpu=";
  for (const auto& word : choice.named) words.append(words.size() > 4 ? "," : "").append(word);
  auto places = select_gpus(machine, words);
  if (!places) return fail(std::move(places.error()).at(choice.place));
  const auto key = key_of(choice.key);
  if (choice.fraction) return draw_items(*places, count_of_fraction(places->size(), *choice.fraction, key), key);
  if (!choice.count) return places;
  if (*choice.count > places->size())
    return fail(wrong_value("at most " + std::to_string(places->size()) + ", the number of GPUs to draw from",
                            std::to_string(*choice.count))
                    .at(choice.place));
  return draw_items(*places, *choice.count, key);
}

Expected<void> Plan::plan_step(std::size_t index, const Machine& machine) {
  const auto& step = scenario_.steps[index];
  PlannedStep out;
  const double part = draw({key_of("step " + std::to_string(index + 1)), "time"});
  out.begin_ns = std::llround((step.earliest_s + part * (step.latest_s - step.earliest_s)) * 1e9);
  out.here = matches(step.nodes ? *step.nodes : scenario_.nodes, node_, scenario_.seed);
  if (out.here) {
    auto gpus = choose(step.gpus ? *step.gpus : scenario_.gpus, machine);
    if (!gpus) return fail(std::move(gpus.error()));
    out.gpus = std::move(*gpus);
  }
  steps_.push_back(std::move(out));
  return {};
}

Expected<Plan> Plan::make(Scenario scenario, NodeIdentity node, const Machine& machine) {
  Plan out(std::move(scenario), std::move(node), machine.gpus().size());
  for (std::size_t i = 0; i < out.scenario_.steps.size(); ++i)
    if (auto good = out.plan_step(i, machine); !good) return fail(std::move(good.error()));
  if (auto good = out.check(machine); !good) return fail(std::move(good.error()));
  return out;
}

Expected<void> Plan::check_step(std::size_t index, const Machine& copy) const {
  const auto& step = scenario_.steps[index];
  for (const auto& line : step.lines) {
    const auto words = words_of(index, line);
    if (words.empty()) continue;
    if (auto done = steering::steer(copy, words); !done && is_of_words(done.error()))
      return fail(std::move(done.error()).at(line.place));
  }
  const auto try_one = [&](const Condition& condition) -> Expected<void> {
    auto verdict = evaluate(condition, copy, steps_[index].gpus);
    return verdict ? Expected<void>() : fail(std::move(verdict.error()));
  };
  for (const auto* condition : {&step.only_if, &step.when})
    if (*condition)
      if (auto good = try_one(**condition); !good) return good;
  for (const auto& condition : step.expect)
    if (auto good = try_one(condition); !good) return good;
  return {};
}

Expected<void> Plan::check(const Machine& machine) const {
  const auto copy = Machine::create(machine.gpus().size());
  if (!copy) return fail({.kind = ProblemKind::out_of_memory});
  if (!state::copy_now(machine, *copy))
    return fail({.kind = ProblemKind::busy, .what = "a writer of the machine is stopped"});
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (steps_[i].here)
      if (auto good = check_step(i, *copy); !good) return good;
  return {};
}

bool Plan::takes_place(std::size_t step, std::uint32_t round) const {
  const auto& chance = scenario_.steps[step].chance;
  return !chance || draw({key_of("step " + std::to_string(step + 1)), "chance", std::to_string(round)}) < *chance;
}

std::vector<const Line*> Plan::lines_of(std::size_t step, std::uint32_t round) const {
  const auto& of = scenario_.steps[step];
  std::vector<const Line*> out;
  for (const auto& line : of.lines) out.push_back(&line);
  if (!of.one_of || out.empty()) return out;
  const double part = draw({key_of("step " + std::to_string(step + 1)), "any", std::to_string(round)});
  return {out[std::min(static_cast<std::size_t>(part * static_cast<double>(out.size())), out.size() - 1)]};
}

std::vector<std::string> Plan::words_of(std::size_t step, const Line& line) const {
  auto words = line.words;
  if (line.names_target) return words;
  if (steps_[step].gpus.empty()) return {};
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(line.verb_words),
               selector_of(steps_[step].gpus, gpu_count_));
  return words;
}

Expected<void> check_end(const Scenario& scenario) {
  if (scenario.end_s) return {};
  for (const auto& step : scenario.steps) {
    if (step.endless())
      return fail(Problem{.kind = ProblemKind::missing,
                          .what = "this step repeats without end",
                          .hint = "add `repeat`, `end` to the scenario, or --for"}
                      .at(step.place));
    if (step.when && (!step.within_s || !step.expect.empty()))
      return fail(Problem{.kind = ProblemKind::missing,
                          .what = "this step may wait for ever",
                          .hint = "add `within`, `end` to the scenario, or --for"}
                      .at(step.place));
  }
  return {};
}

}  // namespace nvmlkit::scenario
