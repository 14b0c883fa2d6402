#include "sim/steering/nic_fault.hpp"

#include <utility>

#include "sim/faults/nic.hpp"
#include "sim/problem/names.hpp"
#include "sim/transaction/change.hpp"

namespace nvmlkit::sim::steering {
namespace {

using Words = std::span<const std::string>;
using Change = Expected<void> (*)(nics::State&, faults::Words);

// The adapters of `nic=NAME` or `nic=all`.
Expected<std::vector<const model::Nic*>> select_nics(const Machine& machine, std::string_view selector) {
  const auto wanted = selector.substr(kNicSelector.size());
  std::vector<const model::Nic*> out;
  std::vector<std::string_view> names;
  for (const auto& nic : machine.host().pcie_topology.nics) {
    if (!nic.name) continue;
    names.push_back(nic.name->view());
    if (wanted == "all" || wanted == nic.name->view()) out.push_back(&nic);
  }
  if (names.empty()) return fail(impossible("the machine has no network adapter"));
  if (out.empty()) return fail(unknown_name("network adapter", wanted, names));
  return out;
}

Expected<void> change_nics(const Machine& machine, Words words, Change change) {
  const auto nics = select_nics(machine, words[0]);
  if (!nics) return fail(nics.error());
  const state::Lock lock(machine);
  if (!lock) return fail(transaction::refusal_of(lock));
  std::vector<std::pair<const model::Nic*, nics::State>> changed;
  for (const auto* nic : *nics) {
    auto copy = nic->state;
    if (auto good = change(copy, words.subspan(1)); !good) return good;
    changed.emplace_back(nic, copy);
  }
  for (const auto& [nic, state] : changed)
    if (!lock.replace(nic->state, state))
      return fail({.kind = ProblemKind::unusable_file, .what = "the state file cannot grow"});
  return {};
}

}  // namespace

Expected<void> inject_into_nics(const Machine& machine, Words words) {
  return change_nics(machine, words, faults::inject_into_nic);
}

Expected<void> heal_nics(const Machine& machine, Words words) { return change_nics(machine, words, faults::heal_nic); }

std::vector<NicFaults> broken_nics(const Machine& machine) {
  std::vector<NicFaults> out;
  for (const auto& nic : machine.host().pcie_topology.nics)
    if (auto faults = faults::faults_of(nic.state); nic.name && !faults.empty())
      out.push_back({std::string(nic.name->view()), std::move(faults)});
  return out;
}

}  // namespace nvmlkit::sim::steering
