// What takes back commands of MIG and of processes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/steering/undo.hpp"

namespace nvmlkit::sim::steering {

// The words behind `mig` and behind `process`.
std::vector<Undo> undo_mig(const Machine& machine, Words words);
std::vector<Undo> undo_process(const Machine& machine, Words words);

}  // namespace nvmlkit::sim::steering
