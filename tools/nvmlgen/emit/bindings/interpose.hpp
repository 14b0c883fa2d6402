// Emitters for code that wraps and probes a dispatch table: every member by its index, and its arguments as data.
#pragma once

#include <string>

#include "registry/registry.hpp"

namespace nvmlgen {

// src/bindings/generated/visit_members.hpp: visitor.operator()<index>(member), for every member of Table.
std::string emit_visit_members(const Facts& facts);

// src/bindings/generated/signatures.cpp: nvmlkit::nvml::interpose::signatures().
std::string emit_signatures(const Registry& registry);

}  // namespace nvmlgen
