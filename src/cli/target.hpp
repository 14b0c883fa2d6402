// Which machine and which of its GPUs a command is about.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/machine.hpp"
#include "sim/state/write.hpp"

namespace nvmlkit::cli {

inline constexpr int bad_input = 2;  // exit status

// One line for people; the command ends with bad_input.
struct Refused : std::runtime_error {
  using runtime_error::runtime_error;
};

// The machine of a state file; an empty path means NVMLKIT_STATE, else the usual one.
std::unique_ptr<sim::Machine> machine_of(const std::string& state);

// The GPUs that gpu=INDEX, gpu=UUID, gpu=BUS-ID or gpu=all means: at least one.
std::vector<std::size_t> select(const sim::Machine& machine, const std::string& selector);

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
