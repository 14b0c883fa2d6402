// The messages of NVIDIA's kernel modules, one for each event of a machine that they log.
#pragma once

#include <optional>
#include <string>

#include "kernel_log/record.hpp"
#include "sim/events/ring.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::kernel_log {

// Nothing for an event that the driver of the machine does not log.
std::optional<Record> record_of(const sim::Machine& machine, const sim::events::Published& event);

// The kernel module's name for itself: NVIDIA UNIX x86_64 Kernel Module  580.105.08  DATE. It is in
// /proc/driver/nvidia/version, too. A machine with CPUs of Arm has aarch64 on every host.
std::string module_identity(const sim::Machine& machine);

}  // namespace nvmlkit::kernel_log
