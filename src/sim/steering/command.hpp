// The machine steered in words, the same for the command and for C++:
//
//   set gpu=0 thermal.gpu=85        load gpu=all 80% --memory 40% --for 10s     time advance 10s
//   release gpu=0 thermal.gpu       fault gpu=0 xid 79                          heal gpu=all
//   mig create gpu=0 3g.40gb        process start gpu=0 train.py --memory 2GiB  process end gpu=0 train.py
//
// Each function does all that its words say or, where it returns a problem, nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::steering {

using Words = std::span<const std::string>;

// Each assignment is PATH=VALUE, the value as a machine file has it. Live values stay as set until release().
Expected<void> set(const Machine& machine, std::string_view gpus, Words assignments);
// A live value, a group of them, or all.
Expected<void> release(const Machine& machine, std::string_view gpus, std::string_view path);
// PERCENT or off, then --memory, --encoder, --decoder, --jpeg, --ofa, each with a percentage, and --for TIME.
Expected<void> load(const Machine& machine, std::string_view gpus, Words words);
// real, virtual, a factor, or advance TIME.
Expected<void> pass_time(const Machine& machine, Words words);

// The same in numbers: how many seconds of the machine pass in a real one, 0 for none; nanoseconds that pass now.
Expected<void> set_pace(const Machine& machine, double pace);
Expected<void> advance_time(const Machine& machine, std::int64_t by_ns);

// Any of these, of faults, of mig.hpp and of process.hpp, by its first word.
Expected<void> steer(const Machine& machine, Words words);

}  // namespace nvmlkit::sim::steering
