// Emitters of the simulated driver's other shapes: a table inside a program, and drivers of older branches.
#pragma once

#include <set>
#include <string>

#include "registry/registry.hpp"

namespace nvmlgen {

// src/sim/generated/driver_branches.hpp: the branches and their versions.
std::string emit_driver_branches(const Registry& registry);

// src/driver/nvml/generated/field_numbering.cpp: the field ids of each branch -> today's.
std::string emit_field_numbering(const Registry& registry);

// src/driver/nvml/generated/in_process_table.hpp: the exported functions under names of their own, put into a table.
std::string emit_in_process_table(const Registry& registry);

// What the library of a branch exports: a fact if it was looked at, else what 555 exports and what later headers up to
// the one of the branch declare.
std::set<std::string> exports_of(const Registry& registry, const DriverBranch& branch);

// src/driver/nvml/generated/exports_<branch>.map: what the library of that branch exports.
std::string emit_version_script_of(const std::set<std::string>& symbols);

}  // namespace nvmlgen
