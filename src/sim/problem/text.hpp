// The text of a problem, one line. Only what talks to people makes it: the command, the line of a driver library on
// stderr, the errors of the C++ interface, the notes of an import or a capture.
#pragma once

#include <string>

#include "sim/problem/problem.hpp"

namespace nvmlkit::sim {

// Without its place: GPU 1: power.limit_mw: expected at most 300000 (max_limit_mw), got 400000
std::string message_of(const Problem& problem);

// With its place, where it has one: FILE:LINE:COLUMN: MESSAGE
std::string text_of(const Problem& problem);

}  // namespace nvmlkit::sim
