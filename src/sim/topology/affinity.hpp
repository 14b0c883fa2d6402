// The CPUs and memory near a GPU. A machine file may name CPUs that this host lacks. If it names none, all CPUs and
// NUMA nodes of this host are equally near.
#pragma once

#include <bitset>
#include <string_view>

#include "sim/generated/model.hpp"

namespace nvmlkit::sim {
class Machine;
}

namespace nvmlkit::sim::topology {

inline constexpr std::size_t kMaxCpus = 1024;
using CpuSet = std::bitset<kMaxCpus>;
using NodeSet = std::bitset<kMaxCpus>;

enum class Scope { node, socket };

// "0-15,32-47". What is no number ends the list.
CpuSet parse_list(std::string_view list);

// The machine file's value; empty if it has none.
CpuSet stated_cpus(const Machine& machine, const model::Gpu& gpu, Scope scope);

CpuSet cpus_near(const Machine& machine, const model::Gpu& gpu, Scope scope);
NodeSet nodes_near(const Machine& machine, const model::Gpu& gpu, Scope scope);

}  // namespace nvmlkit::sim::topology
