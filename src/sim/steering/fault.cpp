#include "sim/steering/fault.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "sim/calls/rule_words.hpp"
#include "sim/faults/kinds.hpp"
#include "sim/problem/names.hpp"
#include "sim/steering/nic_fault.hpp"
#include "sim/steering/selector.hpp"
#include "sim/steering/switch_fault.hpp"
#include "sim/transaction/change.hpp"

namespace nvmlkit::sim::steering {
namespace {

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
detail::unexpected<Problem> unknown_kind(std::string_view word, const Table& table, bool of_gpu) {
  std::vector<std::string_view> names = {"fail", "slow"};
  for (const auto& entry : table) names.push_back(name_of(entry));
  return fail(unknown_name(of_gpu ? "fault of a GPU" : "fault of the machine", word, names));
}

bool is_rule(std::string_view kind) { return kind == "fail" || kind == "slow"; }

// Says which GPU a problem is about.
template <class Change>
Expected<void> change(const Machine& machine, const std::vector<std::size_t>& places, Change change_one) {
  return transaction::change_gpus(machine, places, [&](model::Gpu& gpu, std::size_t place) -> Expected<void> {
    auto changed = change_one(gpu);
    if (!changed) return fail(std::move(changed.error()).of_gpu(static_cast<std::uint32_t>(place)));
    return changed;
  });
}

// One rule for the machine or all its GPUs, else one for each GPU. `target` is where they go.
Expected<void> add_rules(const Machine& machine, Words words, calls::Rules& target) {
  std::vector<std::uint32_t> gpus = {calls::kAnyGpu};
  if (words[0] != "machine" && words[0] != "gpu=all") {
    const auto places = select_gpus(machine, words[0]);
    if (!places) return fail(places.error());
    gpus.assign(places->begin(), places->end());
  }
  auto rule = calls::parse_rule(words.subspan(1));
  if (!rule) return fail(std::move(rule.error()));
  for (const auto gpu : gpus) {
    rule->gpu = gpu;
    if (!target.add(*rule))
      return fail(impossible("there are " + std::to_string(calls::Rules::kCapacity) + " such faults already"));
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

Expected<void> set_machine_fault(const Machine& machine, MachineFault fault) {
  return transaction::change_attention(machine, [&](calls::Rules&, faults::Attention& attention) -> Expected<void> {
    attention.machine.store(fault, std::memory_order_release);
    return {};
  });
}

Expected<void> inject_into_machine(const Machine& machine, Words words) {
  if (words.size() < 2)
    return fail({.kind = ProblemKind::missing,
                 .what = "which fault? One of driver-not-loaded, version-mismatch, no-permission, no-devices"});
  const auto found = std::find_if(std::begin(kMachineFaults), std::end(kMachineFaults),
                                  [&](const auto& known) { return known.name == words[1]; });
  if (found == std::end(kMachineFaults)) return unknown_kind(words[1], kMachineFaults, false);
  if (words.size() > 2) return fail(unexpected_word(words[2]));
  return set_machine_fault(machine, found->fault);
}

Expected<void> inject_rule(const Machine& machine, Words words) {
  return transaction::change_attention(
      machine, [&](calls::Rules& rules, faults::Attention&) { return add_rules(machine, words, rules); });
}

Problem no_selector() { return missing("gpu=INDEX, gpu=UUID, gpu=BUS-ID, gpu=all or machine"); }

// What heal() is about.
struct Healed {
  bool machine = false;
  std::vector<std::size_t> places;  // of GPUs
  std::string_view kind;            // empty: all kinds
  const Kind* only = nullptr;       // of GPUs
};

Expected<Healed> read_heal(const Machine& machine, Words words) {
  if (words.empty()) return fail(no_selector());
  if (words.size() > 2) return fail(unexpected_word(words[2]));
  Healed out;
  if (words.size() > 1) out.kind = words[1];
  const bool named = !out.kind.empty() && !is_rule(out.kind);
  out.machine = words[0] == "machine";
  if (out.machine) {
    const bool known = std::any_of(std::begin(kMachineFaults), std::end(kMachineFaults),
                                   [&](const auto& fault) { return fault.name == out.kind; });
    if (named && !known) return unknown_kind(out.kind, kMachineFaults, false);
    return out;
  }
  auto places = select_gpus(machine, words[0]);
  if (!places) return fail(std::move(places.error()));
  out.places = std::move(*places);
  if (!named) return out;
  out.only = find_kind(out.kind);
  if (!out.only) return unknown_kind(out.kind, kinds(), true);
  if (!out.only->heal) return fail(impossible(quote(out.kind) + " is over once it happened"));
  return out;
}

Expected<void> heal_gpus(const Machine& machine, const Healed& what) {
  return change(machine, what.places, [&](model::Gpu& gpu) -> Expected<void> {
    for (const auto* each : kinds())
      if (each->heal && (!what.only || what.only == each)) each->heal(gpu);
    if (!what.only) gpu.faults.draining = gpu.faults.failure_tripped = 0;
    return {};
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

}  // namespace

Expected<void> inject(const Machine& machine, Words words) {
  if (words.empty()) return fail(no_selector());
  if (words.size() > 1 && is_rule(words[1])) return inject_rule(machine, words);
  if (words[0] == "machine") return inject_into_machine(machine, words);
  if (words[0].starts_with(kSwitchSelector)) return inject_into_switch(machine, words);
  if (words[0].starts_with(kNicSelector)) return inject_into_nics(machine, words);
  const auto places = select_gpus(machine, words[0]);
  if (!places) return fail(places.error());
  if (words.size() < 2)
    return fail({.kind = ProblemKind::missing, .what = "which fault? For example: " + words[0] + " xid 79"});
  const auto* kind = find_kind(words[1]);
  if (!kind) return unknown_kind(words[1], kinds(), true);
  return change(machine, *places, [&](model::Gpu& gpu) { return kind->inject(gpu, words.subspan(2)); });
}

Expected<void> heal(const Machine& machine, Words words) {
  if (!words.empty() && words[0].starts_with(kNicSelector)) return heal_nics(machine, words);
  const auto what = read_heal(machine, words);
  if (!what) return fail(what.error());
  const auto kind = what->kind;
  if (!what->machine && !is_rule(kind))
    if (auto healed = heal_gpus(machine, *what); !healed || what->only) return healed;
  return transaction::change_attention(
      machine, [&](calls::Rules& rules, faults::Attention& attention) -> Expected<void> {
        const auto rule_kind = is_rule(kind) ? kind : std::string_view();
        if (what->machine && !is_rule(kind)) attention.machine.store(MachineFault::none, std::memory_order_release);
        if (what->machine && (kind.empty() || is_rule(kind))) remove_rules(rules, calls::kAnyGpu, false, rule_kind);
        for (const auto place : what->places)
          remove_rules(rules, static_cast<std::uint32_t>(place), words[0] == "gpu=all", rule_kind);
        return {};
      });
}

Expected<void> inject_here(const Machine& machine, std::string_view commands, calls::Rules& rules) {
  while (!commands.empty()) {
    const auto end = std::min(commands.find_first_of(";\n"), commands.size());
    const std::vector<std::string> words = words_of(commands.substr(0, end));
    commands.remove_prefix(std::min(end + 1, commands.size()));
    if (words.empty()) continue;
    Expected<void> done;
    if (words.size() > 1 && is_rule(words[1]))
      done = add_rules(machine, words, rules);
    else if (machine.access() == Access::private_memory)
      done = inject(machine, words);
    else
      done = fail(
          impossible("the machine is shared: only fail and slow are for one process; the rest is for `nvmlkit fault`"));
    if (!done) return done;
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
