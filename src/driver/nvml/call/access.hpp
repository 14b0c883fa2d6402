// Reads and changes of the machine by exported functions, while other threads and processes change it too.
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

abi::nvmlReturn_t edit_gpu(const sim::Machine& machine, const sim::model::Gpu& gpu,
                           abi::nvmlReturn_t (*change)(void*, sim::model::Gpu&), void* context);

}  // namespace detail

// Runs `change` on a copy of the GPU and makes the copy the GPU if it succeeds; else nothing has happened.
template <class Change>
abi::nvmlReturn_t edit_gpu(const sim::Machine& machine, const sim::model::Gpu& gpu, Change change) {
  return detail::edit_gpu(
      machine, gpu, [](void* context, sim::model::Gpu& copy) { return (*static_cast<Change*>(context))(copy); },
      &change);
}

// May this process call functions that need root? Every process may, if the machine does not enforce privilege.
bool is_privileged(const sim::Machine& machine);

// The same for what needs root only while the GPU restricts it.
template <class Restriction>
bool is_privileged(const sim::Machine& machine, const Restriction& restriction, bool unless_said) {
  const bool restricted =
      restriction ? static_cast<abi::nvmlEnableState_t>(*restriction) == abi::NVML_FEATURE_ENABLED : unless_said;
  return !restricted || is_privileged(machine);
}

}  // namespace nvmlkit::driver
