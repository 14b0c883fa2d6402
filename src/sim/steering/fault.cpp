#include "sim/steering/fault.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "sim/calls/rule_words.hpp"
#include "sim/config/suggest.hpp"
#include "sim/faults/kinds.hpp"
#include "sim/steering/selector.hpp"
#include "sim/transaction/change.hpp"

namespace nvmlkit::sim::steering {
namespace {

using config::quote;
using faults::find_kind;
using faults::Kind;
using faults::kinds;
using faults::MachineFault;
using faults::Words;

struct NamedMachineFault {
  std::string_view name;
  MachineFault fault;
};
constexpr NamedMachineFault kMachineFaults[] = {{"driver-not-loaded", MachineFault::driver_not_loaded},
                                                {"version-mismatch", MachineFault::version_mismatch},
                                                {"no-permission", MachineFault::no_permission},
                                                {"no-devices", MachineFault::no_devices}};

std::string_view name_of(const NamedMachineFault& fault) { return fault.name; }
std::string_view name_of(const Kind* kind) { return kind->name; }

template <class Table>
std::string unknown_kind(std::string_view word, const Table& table, bool of_gpu) {
  std::vector<std::string_view> names = {"fail", "slow"};
  for (const auto& entry : table) names.push_back(name_of(entry));
  return std::string("unknown fault ") + (of_gpu ? "of a GPU " : "of the machine ") + quote(word) +
         config::hint(word, names);
}

bool is_rule(std::string_view kind) { return kind == "fail" || kind == "slow"; }

// Says which GPU it is about.
template <class Change>
std::string change(const Machine& machine, const std::vector<std::size_t>& places, Change change_one) {
  return transaction::change_gpus(machine, places, [&](model::Gpu& gpu, std::size_t place) {
    const auto problem = change_one(gpu);
    return problem.empty() ? problem : "GPU " + std::to_string(place) + ": " + problem;
  });
}

// One rule for the machine or all its GPUs, else one for each GPU. `target` is where they go.
std::string add_rules(const Machine& machine, Words words, calls::Rules& target) {
  std::vector<std::uint32_t> gpus = {calls::kAnyGpu};
  if (words[0] != "machine" && words[0] != "gpu=all") {
    std::string error;
    gpus.clear();
    for (const auto place : select_gpus(machine, words[0], error)) gpus.push_back(static_cast<std::uint32_t>(place));
    if (gpus.empty()) return error;
  }
  calls::Rule rule{};
  if (auto problem = parse_rule(words.subspan(1), rule); !problem.empty()) return problem;
  for (const auto gpu : gpus) {
    rule.gpu = gpu;
    if (!target.add(rule)) return "there are " + std::to_string(calls::Rules::kCapacity) + " such faults already";
  }
  return {};
}

void remove_rules(calls::Rules& rules, std::uint32_t gpu, bool every_gpu, std::string_view kind) {
  for (std::size_t i = 0; i < calls::Rules::kCapacity; ++i) {
    const auto rule = rules.at(i);
    if (!rule || (!every_gpu && rule->gpu != gpu)) continue;
    const bool fails = rule->result != calls::kNoResult;
    if (kind.empty() || (kind == "fail") == fails) rules.remove(i);
  }
}

std::string set_machine_fault(const Machine& machine, MachineFault fault) {
  return transaction::change_attention(machine, [&](calls::Rules&, faults::Attention& attention) {
    attention.machine.store(fault, std::memory_order_release);
    return std::string();
  });
}

std::string inject_into_machine(const Machine& machine, Words words) {
  if (words.size() < 2) return "which fault? One of driver-not-loaded, version-mismatch, no-permission, no-devices";
  const auto found = std::find_if(std::begin(kMachineFaults), std::end(kMachineFaults),
                                  [&](const auto& known) { return known.name == words[1]; });
  if (found == std::end(kMachineFaults)) return unknown_kind(words[1], kMachineFaults, false);
  if (words.size() > 2) return "unexpected " + quote(words[2]);
  return set_machine_fault(machine, found->fault);
}

std::string inject_rule(const Machine& machine, Words words) {
  return transaction::change_attention(
      machine, [&](calls::Rules& rules, faults::Attention&) { return add_rules(machine, words, rules); });
}

std::string no_selector() { return "expected gpu=INDEX, gpu=UUID, gpu=BUS-ID, gpu=all or machine"; }

}  // namespace

std::string inject(const Machine& machine, Words words) {
  if (words.empty()) return no_selector();
  if (words.size() > 1 && is_rule(words[1])) return inject_rule(machine, words);
  if (words[0] == "machine") return inject_into_machine(machine, words);
  std::string error;
  const auto places = select_gpus(machine, words[0], error);
  if (places.empty()) return error;
  if (words.size() < 2) return "which fault? For example: " + words[0] + " xid 79";
  const auto* kind = find_kind(words[1]);
  if (!kind) return unknown_kind(words[1], kinds(), true);
  return change(machine, places, [&](model::Gpu& gpu) { return kind->inject(gpu, words.subspan(2)); });
}

std::string heal(const Machine& machine, Words words) {
  if (words.empty()) return no_selector();
  const std::string_view kind = words.size() > 1 ? std::string_view(words[1]) : std::string_view();
  if (words.size() > 2) return "unexpected " + quote(words[2]);
  const bool of_machine = words[0] == "machine";
  const auto* only = kind.empty() || is_rule(kind) ? nullptr : find_kind(kind);
  std::vector<std::size_t> places;
  if (of_machine) {
    const bool known = std::any_of(std::begin(kMachineFaults), std::end(kMachineFaults),
                                   [&](const auto& fault) { return fault.name == kind; });
    if (!kind.empty() && !is_rule(kind) && !known) return unknown_kind(kind, kMachineFaults, false);
  } else {
    std::string error;
    places = select_gpus(machine, words[0], error);
    if (places.empty()) return error;
    if (!kind.empty() && !is_rule(kind) && !only) return unknown_kind(kind, kinds(), true);
    if (only && !only->heal) return quote(kind) + " is over once it happened";
  }
  if (!of_machine && !is_rule(kind)) {
    auto problem = change(machine, places, [&](model::Gpu& gpu) {
      for (const auto* each : kinds())
        if (each->heal && (!only || only == each)) each->heal(gpu);
      if (!only) gpu.faults.draining = gpu.faults.failure_tripped = 0;
      return std::string();
    });
    if (!problem.empty() || only) return problem;
  }
  return transaction::change_attention(machine, [&](calls::Rules& rules, faults::Attention& attention) {
    const auto rule_kind = is_rule(kind) ? kind : std::string_view();
    if (of_machine && !is_rule(kind)) attention.machine.store(MachineFault::none, std::memory_order_release);
    if (of_machine && (kind.empty() || is_rule(kind))) remove_rules(rules, calls::kAnyGpu, false, rule_kind);
    for (const auto place : places)
      remove_rules(rules, static_cast<std::uint32_t>(place), words[0] == "gpu=all", rule_kind);
    return std::string();
  });
}

// No stream for this: one would bring the locales of the C++ library into every program that loads the driver.
std::vector<std::string> words_of(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r\v\f";
  std::vector<std::string> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
    if (line.empty()) return words;
    const auto end = std::min(line.find_first_of(kSpace), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::string inject_here(const Machine& machine, std::string_view commands, calls::Rules& rules) {
  while (!commands.empty()) {
    const auto end = std::min(commands.find_first_of(";\n"), commands.size());
    const std::vector<std::string> words = words_of(commands.substr(0, end));
    commands.remove_prefix(std::min(end + 1, commands.size()));
    if (words.empty()) continue;
    std::string problem;
    if (words.size() > 1 && is_rule(words[1]))
      problem = add_rules(machine, words, rules);
    else if (machine.access() == Access::private_memory)
      problem = inject(machine, words);
    else
      problem = "the machine is shared: only fail and slow are for one process; the rest is for `nvmlkit fault`";
    if (!problem.empty()) return problem;
  }
  return {};
}

std::vector<std::string> describe(const model::Gpu& gpu) {
  std::vector<std::string> out;
  for (const auto* kind : kinds())
    for (const auto& words : kind->active(gpu))
      out.push_back(std::string(kind->name) + (words.empty() ? "" : " ") + words);
  if (gpu.faults.draining != 0) out.emplace_back("draining");
  return out;
}

std::string describe(faults::MachineFault fault) {
  for (const auto& known : kMachineFaults)
    if (known.fault == fault) return std::string(known.name);
  return {};
}

}  // namespace nvmlkit::sim::steering
