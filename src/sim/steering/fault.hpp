// Faults as people name them, the same words for the command, NVMLKIT_FAULT and C++:
//
//   gpu=0 xid 79            gpu=all ecc dram uncorrected     gpu=0 fail nvmlDeviceGetMemoryInfo GPU_IS_LOST --after 10
//   gpu=0 lost              gpu=1 thermal                    machine driver-not-loaded
//   nvswitch=0 sxid 20034 28   nic=mlx5_0 down   nic=mlx5_0 errors link_error_recovery --count 9
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/calls/rules.hpp"
#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::steering {

// Makes the fault that the words name: all of it or, where there is a problem, nothing.
Expected<void> inject(const Machine& machine, std::span<const std::string> words);

// Ends the faults that the words name: gpu=0, nic=mlx5_0 or machine, and a kind, or none for all kinds.
Expected<void> heal(const Machine& machine, std::span<const std::string> words);

// For a process of its own: rules about calls go into `rules`, where the machine does not know of them; the rest into
// the machine, if it is this process's alone. Commands are separated by ';' or new lines.
Expected<void> inject_here(const Machine& machine, std::string_view commands, calls::Rules& rules);

// What is broken about a GPU, in the words of inject(). Empty when nothing is.
std::vector<std::string> describe(const model::Gpu& gpu);
std::string describe(faults::MachineFault fault);  // empty: none

}  // namespace nvmlkit::sim::steering
