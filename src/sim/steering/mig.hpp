// MIG in words:
//
//   mig enable gpu=0        mig create gpu=0 3g.40gb,19:4            mig destroy gpu=0 1,9
//   mig disable gpu=all     mig create gpu=0 1c.3g.40gb --gi 2       mig destroy gpu=0 2 --ci 0       mig clear gpu=0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/mig/devices.hpp"
#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::steering {

enum class MigVerb : std::uint8_t { enable, disable, create, destroy, clear };
std::span<const std::string_view> mig_verbs();

// A profile by name or id, and where the instance starts.
struct MigProfileWord {
  std::string profile;
  std::optional<std::uint32_t> start;
};

struct MigCommand {
  MigVerb verb = MigVerb::enable;
  std::string gpus;
  std::vector<MigProfileWord> profiles;  // create: of GPU instances, with `instance` of compute instances
  std::vector<MigProfileWord> computes;  // create: of the compute instances in each; none: one of the whole size
  bool bare = false;                     // create: no compute instance
  std::vector<std::uint32_t> instances;  // destroy: GPU instances; create: the one for compute instances
  std::optional<std::uint32_t> compute;  // destroy: only this compute instance
};

// The words behind `mig`.
Expected<MigCommand> read_mig(std::span<const std::string> words);

// What a command did to a GPU.
struct MigChange {
  std::size_t gpu = 0;
  std::vector<std::uint32_t> instances;  // GPU instances that were made or destroyed
  std::vector<mig::DeviceId> devices;    // the same of compute instances
  bool pending = false;                  // the mode changes with the next reset: something uses the GPU
};

// Does it to `changed`, a copy of the GPU at this place. A problem leaves a part of it done.
Expected<MigChange> apply_mig(const Machine& machine, std::size_t place, const MigCommand& command,
                              model::Gpu& changed);

// Does it to the machine: on all of the GPUs or, where one refuses, on none.
Expected<std::vector<MigChange>> change_mig(const Machine& machine, const MigCommand& command);

}  // namespace nvmlkit::sim::steering
