// Changes of several GPUs together or not at all, and changes of the words that every call checks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/state/attention.hpp"
#include "sim/transaction/edit.hpp"

namespace nvmlkit::sim::transaction {

// Why the machine cannot be written, in one line for people.
inline std::string refusal_of(const state::Lock& lock) {
  return lock.refusal() == state::Refusal::read_only ? "the state file may only be read"
                                                     : "a writer of the machine is stopped";
}

// `change_one(gpu, place)` works on the copy of an edit and returns what is wrong, empty when nothing is. Returns the
// first of these.
template <class Change>
std::string change_gpus(const Machine& machine, const std::vector<std::size_t>& places, Change change_one) {
  const state::Lock lock(machine);
  if (!lock) return refusal_of(lock);
  std::vector<std::unique_ptr<Edit>> edits;
  for (const auto place : places) {
    auto edit = std::make_unique<Edit>(lock, place);
    if (!*edit) return "out of memory";
    if (auto problem = change_one(**edit, place); !problem.empty()) return problem;
    edits.push_back(std::move(edit));
  }
  for (auto& edit : edits) edit->commit();
  return {};
}

// `change(rules, attention)` changes the rules about calls or the fault of the whole machine, and returns what is
// wrong.
template <class Change>
std::string change_attention(const Machine& machine, Change change) {
  const state::Lock lock(machine);
  if (!lock) return refusal_of(lock);
  auto problem = change(machine.call_rules(), machine.attention());
  state::update_attention(machine);
  return problem;
}

}  // namespace nvmlkit::sim::transaction
