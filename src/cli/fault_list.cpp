#include "cli/fault_list.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/selector.hpp"
#include "sim/calls/rule_words.hpp"
#include "sim/steering/fault.hpp"
#include "sim/steering/nic_fault.hpp"

namespace nvmlkit::cli {
namespace {

using sim::Machine;

std::vector<std::string> faults_of(const Machine& machine, std::size_t place) {
  return sim::steering::describe(*snapshot(machine, place));
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

}  // namespace

std::vector<std::string> list_faults(const Machine& machine) {
  std::vector<std::string> out;
  if (const auto fault = sim::steering::describe(machine.attention().machine.load()); !fault.empty())
    out.push_back("machine " + fault);
  for (std::size_t i = 0; i < machine.gpus().size(); ++i)
    for (const auto& fault : faults_of(machine, i)) out.push_back(fmt::format("gpu={} {}", i, fault));
  for (const auto& nic : sim::steering::broken_nics(machine))
    for (const auto& fault : nic.faults) out.push_back(fmt::format("nic={} {}", nic.name, fault));
  for (const auto& rule : rules_of(machine))
    out.push_back(fmt::format("{} {}  ({} calls so far)", rule.where, rule.text, rule.calls));
  return out;
}

nlohmann::ordered_json faults_as_json(const Machine& machine) {
  auto gpus = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < machine.gpus().size(); ++i)
    if (const auto faults = faults_of(machine, i); !faults.empty()) gpus.push_back({{"gpu", i}, {"faults", faults}});
  auto nics = nlohmann::ordered_json::array();
  for (const auto& nic : sim::steering::broken_nics(machine))
    nics.push_back({{"nic", nic.name}, {"faults", nic.faults}});
  auto calls = nlohmann::ordered_json::array();
  for (const auto& rule : rules_of(machine))
    calls.push_back({{"where", rule.where}, {"rule", rule.text}, {"calls", rule.calls}});
  const auto fault = sim::steering::describe(machine.attention().machine.load());
  return {{"machine", fault.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(fault)},
          {"gpus", gpus},
          {"nics", nics},
          {"calls", calls}};
}

}  // namespace nvmlkit::cli
