#include "cli/fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/exit_status.hpp"
#include "cli/target.hpp"
#include "sim/calls/rule_words.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/fault.hpp"

namespace nvmlkit::cli {
namespace {

using sim::Machine;

int refuse(const std::string& message) {
  fmt::print(stderr, "nvmlkit: {}\n", message);
  return kBadInput;
}

// Takes the command's own options out of the words.
void take_options(std::vector<std::string>& words, std::string& state, bool* as_json) {
  for (auto at = words.begin(); at != words.end();) {
    if (as_json != nullptr && *at == "--json") {
      *as_json = true;
      at = words.erase(at);
    } else if (*at == "--state") {
      if (at + 1 == words.end()) throw Refused("--state needs a file");
      state = *(at + 1);
      at = words.erase(at, at + 2);
    } else {
      ++at;
    }
  }
}

std::vector<std::string> faults_of(const Machine& machine, std::size_t place) {
  const auto copy = std::make_unique<sim::model::Gpu>();
  const auto& gpu = machine.gpus()[place];
  if (!sim::state::consistently(machine, machine.sequence(gpu),
                                [&] { std::memcpy(static_cast<void*>(copy.get()), &gpu, sizeof gpu); }))
    throw Refused("a writer of the machine is stopped");
  return sim::steering::describe(*copy);
}

struct ListedRule {
  std::string where, text;
  std::uint64_t calls;
};

std::vector<ListedRule> rules_of(const Machine& machine) {
  std::vector<ListedRule> out;
  for (std::size_t i = 0; i < sim::calls::Rules::kCapacity; ++i)
    if (const auto rule = machine.call_rules().at(i))
      out.push_back({rule->gpu == sim::calls::kAnyGpu ? "machine" : fmt::format("gpu={}", rule->gpu),
                     sim::calls::describe(*rule), rule->calls});
  return out;
}

int list(const Machine& machine, bool as_json) {
  if (as_json) {
    fmt::print("{}\n", faults_as_json(machine).dump(2));
    return 0;
  }
  const auto lines = list_faults(machine);
  for (const auto& line : lines) fmt::print("{}\n", line);
  if (lines.empty()) fmt::print("no faults\n");
  return 0;
}

}  // namespace

std::vector<std::string> list_faults(const Machine& machine) {
  std::vector<std::string> out;
  if (const auto fault = sim::steering::describe(machine.attention().machine.load()); !fault.empty())
    out.push_back("machine " + fault);
  for (std::size_t i = 0; i < machine.gpus().size(); ++i)
    for (const auto& fault : faults_of(machine, i)) out.push_back(fmt::format("gpu={} {}", i, fault));
  for (const auto& rule : rules_of(machine))
    out.push_back(fmt::format("{} {}  ({} calls so far)", rule.where, rule.text, rule.calls));
  return out;
}

nlohmann::ordered_json faults_as_json(const Machine& machine) {
  auto gpus = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < machine.gpus().size(); ++i)
    if (const auto faults = faults_of(machine, i); !faults.empty()) gpus.push_back({{"gpu", i}, {"faults", faults}});
  auto calls = nlohmann::ordered_json::array();
  for (const auto& rule : rules_of(machine))
    calls.push_back({{"where", rule.where}, {"rule", rule.text}, {"calls", rule.calls}});
  const auto fault = sim::steering::describe(machine.attention().machine.load());
  return {{"machine", fault.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(fault)},
          {"gpus", gpus},
          {"calls", calls}};
}

int fault(std::string state, std::vector<std::string> words, bool as_json) try {
  take_options(words, state, &as_json);
  const auto machine = machine_of(state);
  if (words.empty()) return list(*machine, as_json);
  if (as_json) return refuse("--json is for the list, `nvmlkit fault --json`");
  const auto problem = sim::steering::inject(*machine, words);
  return problem.empty() ? 0 : refuse(problem);
} catch (const Refused& refused) {
  return refuse(refused.what());
}

int heal(std::string state, std::vector<std::string> words) try {
  take_options(words, state, nullptr);
  const auto machine = machine_of(state);
  const auto problem = sim::steering::heal(*machine, words);
  return problem.empty() ? 0 : refuse(problem);
} catch (const Refused& refused) {
  return refuse(refused.what());
}

}  // namespace nvmlkit::cli
