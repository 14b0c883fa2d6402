// Emitters of the PTX instruction set.
#pragma once

#include <string>

#include "registry/ptx.hpp"

namespace nvmlgen::ptx {

// src/ptx/generated/instructions.hpp: an enumerator for each instruction, and the decoders.
std::string emit_header(const InstructionSet& set);

// src/ptx/generated/instructions.cpp: the table that decoding begins with.
std::string emit_table(const InstructionSet& set);

// docs/reference/ptx.md
std::string emit_reference(const InstructionSet& set);

}  // namespace nvmlgen::ptx
