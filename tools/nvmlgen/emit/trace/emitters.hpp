// Emitters for recordings of calls.
#pragma once

#include <string>

#include "registry/registry.hpp"

namespace nvmlgen {

// src/bindings/call_memory/generated/pointers.cpp: the memory behind pointers inside structs.
std::string emit_trace_pointers(const Registry& registry);

// src/trace/generated/private_slots.cpp: the arguments of private functions.
std::string emit_private_slots(const Registry& registry);

// src/driver/trace/generated/exports.cpp: every function of the API, which passes its arguments on.
std::string emit_trace_exports(const Registry& registry);

}  // namespace nvmlgen
