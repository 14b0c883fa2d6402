// How exported functions read the machine and change it while other threads and processes do the same.
#pragma once

#include "nvmlkit/generated/abi.hpp"
#include "sim/state/lock.hpp"
#include "sim/state/machine.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::driver {

// The answer of `read`, given on one state of what the sequence guards. It may run more than once.
template <class Read>
abi::nvmlReturn_t consistent(const sim::Machine& machine, const sim::state::Sequence& sequence, Read read) {
  abi::nvmlReturn_t result = abi::NVML_ERROR_TIMEOUT;
  const bool whole = sim::state::consistently(machine, sequence, [&] { result = read(); });
  return whole ? result : abi::NVML_ERROR_TIMEOUT;
}

namespace detail {

abi::nvmlReturn_t change(const sim::Machine& machine, const sim::model::Gpu& gpu,
                         abi::nvmlReturn_t (*change)(void*, sim::model::Gpu&), void* context);

}  // namespace detail

// Runs `change` on a copy of the GPU and makes the copy the GPU if it succeeds; else nothing has happened.
template <class Change>
abi::nvmlReturn_t change(const sim::Machine& machine, const sim::model::Gpu& gpu, Change change) {
  return detail::change(
      machine, gpu, [](void* context, sim::model::Gpu& copy) { return (*static_cast<Change*>(context))(copy); },
      &change);
}

// May this process call what needs root? Where the machine does not enforce privilege everybody may.
bool is_privileged(const sim::Machine& machine);

// The same for what needs root only while the GPU restricts it.
template <class Restriction>
bool is_privileged(const sim::Machine& machine, const Restriction& restriction, bool unless_said) {
  const bool restricted =
      restriction ? static_cast<abi::nvmlEnableState_t>(*restriction) == abi::NVML_FEATURE_ENABLED : unless_said;
  return !restricted || is_privileged(machine);
}

}  // namespace nvmlkit::driver
