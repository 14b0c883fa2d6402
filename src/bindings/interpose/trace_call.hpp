// Calls as lines of a trace.
#pragma once

#include <optional>

#include "bindings/call_memory/memory.hpp"
#include "bindings/call_memory/trace_line.hpp"

namespace nvmlkit::nvml::interpose {

// The function and its inputs, before the call is made.
void put_question(TraceLine& line, const Before& before);
// What the call returned and wrote.
void put_answer(TraceLine& line, const Before& before, Word result);

// The inputs of a line of version 1 as this version has them: version 1 had whole structs, with what only receives the
// answer. False where the line does not fit the function.
bool renew_question(TraceLine& line, const Shape& shape);

}  // namespace nvmlkit::nvml::interpose
