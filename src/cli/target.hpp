// What commands do to the GPUs that they mean.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/selector.hpp"
#include "sim/generated/model.hpp"

namespace nvmlkit::cli {

// Refuses where the machine refused, in its words.
void accept(const std::string& problem);

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
    return kBadInput;
  }
}

}  // namespace nvmlkit::cli
