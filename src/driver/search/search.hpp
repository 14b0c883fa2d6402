// The machine of a process whose variables name none: a state file at one of a few paths. A library in a container
// finds the machine of its host there, whoever prepared the container.
//
//   DIR/run/nvmlkit/state             of the root DIR whose library it is
//   /run/nvmlkit/state
//   /run/nvidia-persistenced/socket   NVIDIA's generator of CDI specifications mounts this path of a root, and
//   /var/run/nvidia-persistenced/socket   `nvmlkit root` has a hard link of the state there
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/config/environment.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::driver::search {

struct Found {
  std::string state;
  // Only GPUs whose node is in this folder are there. It is /dev; in a process that sees a whole root and has no nodes
  // in its own /dev, the folder of the root.
  std::string device_nodes;
};

// What a library sees of the file system.
struct View {
  std::string library;   // its path, without links; empty: unknown
  bool of_root = false;  // see mark.hpp
  std::string top;       // what stands before /run, /var and /dev: nothing, but in tests
};

// Nothing where a variable names the machine, and where a library of no root finds no state: the variables or the
// default decide then. A library of a root that finds no state has no machine: the problem has the kind `missing`, and
// its text lists the places. Short memory is a problem, too.
sim::Expected<std::optional<Found>> find_state(const sim::Environment& environment) noexcept;
sim::Expected<std::optional<Found>> find_state(const sim::Environment& environment, const View& view) noexcept;

// The folder whose library this is: what precedes usr/lib, usr/lib64, lib or lib64 in its path. Empty for the root of
// the file system; nothing for a library elsewhere.
std::optional<std::string_view> root_of(std::string_view library);

// For problems of a state file that was found.
inline constexpr const char* kAdvice = "make it again with `nvmlkit root` or `nvmlkit up` of this version";

}  // namespace nvmlkit::driver::search
