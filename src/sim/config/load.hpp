// Reads machine files into machines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sim/config/environment.hpp"
#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim {

// The machine that the environment asks for, complete:
//   NVMLKIT_STATE      a state file (state/file.hpp): the machine in it, shared; the other variables do not count
//   NVMLKIT_MACHINE    a built-in machine's name, or a path (it contains '/' or ends in .yaml or .yml)
//   MOCK_NVML_CONFIG   a path, when NVMLKIT_MACHINE is not set
//   otherwise          the built-in a100
//   NVMLKIT_GPU_COUNT  number of GPUs, in place of the file's
//   NVMLKIT_DRIVER     the driver version, or a branch for a usual version of it, in place of the file's
//   NVMLKIT_SEED       a text that UUIDs and serial numbers follow from, unless the file has those of a GPU
//   NVMLKIT_TIME       real, virtual (time moves only by a command), or how many times faster than real it is
//   MOCK_NVML_NUM_DEVICES, MOCK_NVML_DRIVER_VERSION  the same and the driver version, for built-in machines only
// Never null. Throws nothing: short memory is a problem, too.
Expected<std::unique_ptr<Machine>> load_machine(const Environment& environment) noexcept;

// A number for the machine that load_machine() would load now: the same as long as the environment chooses the same
// machine and its file is the same.
Expected<std::uint64_t> machine_key(const Environment& environment) noexcept;

// What stands above a machine file.
struct Overrides {
  std::optional<std::uint32_t> gpu_count;
  std::optional<std::string> driver_version;
  std::optional<double> pace;       // of time, see sim/state/clock.hpp
  std::optional<std::string> seed;  // other UUIDs and serial numbers than those of the same machine without it
};

// The machine that a text describes; `file` is what messages call it.
Expected<std::unique_ptr<Machine>> read_machine(std::string_view file, std::string_view text,
                                                const Overrides& overrides = {}) noexcept;

// The same from a file.
Expected<std::unique_ptr<Machine>> read_machine_file(const std::string& path, const Overrides& overrides = {}) noexcept;

}  // namespace nvmlkit::sim
