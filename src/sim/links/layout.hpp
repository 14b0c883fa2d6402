// The other ends of a machine's NVLinks.
#pragma once

#include "sim/problem/problem.hpp"

namespace nvmlkit::sim {
class Machine;
}

namespace nvmlkit::sim::links {

// Lays the links by the machine file: links that it lists, else connections between GPUs, else NVSwitches. Two
// GPUs without either are connected to each other.
void lay_out(Machine& machine);

// What is wrong with the connections of the machine file: a problem of an item of nvlink.connections. Those of GPUs
// that the machine does not have are left out: any machine can be started with fewer GPUs.
Expected<void> check(const Machine& machine);

}  // namespace nvmlkit::sim::links
