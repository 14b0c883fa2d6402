// What commands do to the GPUs that they mean.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/selector.hpp"
#include "sim/state/write.hpp"

namespace nvmlkit::cli {

// Refuses in words where the machine cannot be written.
void require(const sim::state::Lock& lock);

// The GPU as it is now, whole.
std::unique_ptr<sim::model::Gpu> snapshot(const sim::Machine& machine, std::size_t index);

// Runs a command and returns its exit status.
template <class Work>
int guarded(Work work) {
  try {
    work();
    return 0;
  } catch (const Refused& refused) {
    fmt::print(stderr, "nvmlkit: {}\n", refused.what());
    return bad_input;
  }
}

// Changes the selected GPUs, all or, if `change(edit, index)` refuses one, none.
template <class Change>
void change(const sim::Machine& machine, const std::vector<std::size_t>& selected, Change change) {
  const sim::state::Lock lock(machine);
  require(lock);
  std::vector<std::unique_ptr<sim::state::Edit>> edits;
  for (const auto index : selected) {
    edits.push_back(std::make_unique<sim::state::Edit>(lock, index));
    if (!*edits.back()) throw std::bad_alloc();
    change(**edits.back(), index);
  }
  for (auto& edit : edits) edit->commit();
}

}  // namespace nvmlkit::cli
