// The other ends of a machine's NVLinks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace nvmlkit::sim {
class Machine;
}

namespace nvmlkit::sim::links {

// Lays the links by the machine file: links that it lists, else connections between GPUs, else NVSwitches. Two
// GPUs without either are connected to each other.
void lay_out(Machine& machine);

struct Problem {
  std::size_t connection;  // of nvlink.connections
  std::string message;
};
// What is wrong with the connections of the machine file; nothing where all is right. Those of GPUs that it does not
// have are left out: any machine can be started with fewer GPUs.
std::optional<Problem> problem_of(const Machine& machine);

}  // namespace nvmlkit::sim::links
