// A container, as its runtime describes it to a hook.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <map>
#include <string>

#include "sim/problem/problem.hpp"

namespace nvmlkit::cdi_hook {

struct Container {
  std::uint32_t pid = 0;  // of its first process, on the host; 0: it has ended
  std::string program{};  // that this process will execute; empty: not known
  std::map<std::string, std::string> annotations{}, variables{};
  std::filesystem::path bundle{};  // its folder; empty: not known
};

// Reads the state of the OCI runtime specification, then config.json in the bundle that it names. A bundle that is
// gone, as at the end of a container, leaves the annotations of the state.
sim::Expected<Container> read_container(std::istream& state);

}  // namespace nvmlkit::cdi_hook
