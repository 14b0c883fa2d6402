// Changes of several GPUs together or not at all, and changes of the words that every call checks.
#pragma once

#include <memory>
#include <vector>

#include "sim/problem/problem.hpp"
#include "sim/state/attention.hpp"
#include "sim/transaction/edit.hpp"

namespace nvmlkit::sim::transaction {

// Why the machine cannot be written.
inline Problem refusal_of(const state::Lock& lock) {
  if (lock.refusal() == state::Refusal::read_only)
    return {.kind = ProblemKind::read_only, .what = "the state file may only be read"};
  return {.kind = ProblemKind::busy, .what = "a writer of the machine is stopped"};
}

// `change_one(gpu, place)` works on the copy of an edit and returns Expected<void>. The first problem ends it all.
template <class Change>
Expected<void> change_gpus(const Machine& machine, const std::vector<std::size_t>& places, Change change_one) {
  const state::Lock lock(machine);
  if (!lock) return fail(refusal_of(lock));
  std::vector<std::unique_ptr<Edit>> edits;
  for (const auto place : places) {
    auto edit = std::make_unique<Edit>(lock, place);
    if (!*edit) return fail({.kind = ProblemKind::out_of_memory});
    if (auto changed = change_one(**edit, place); !changed) return changed;
    edits.push_back(std::move(edit));
  }
  for (auto& edit : edits) edit->commit();
  return {};
}

// `change(rules, attention)` changes the rules about calls or the fault of the whole machine, and returns
// Expected<void>.
template <class Change>
Expected<void> change_attention(const Machine& machine, Change change) {
  const state::Lock lock(machine);
  if (!lock) return fail(refusal_of(lock));
  auto changed = change(machine.call_rules(), machine.attention());
  state::update_attention(machine);
  lock.note_change();
  return changed;
}

}  // namespace nvmlkit::sim::transaction
