// The instructions that are simulated, from registry/cuda/ptx.yaml.
#pragma once

#include <span>
#include <string_view>

#include "ptx/generated/instructions.hpp"

namespace nvmlkit::ptx {

class Form;

struct InstructionEntry {
  std::string_view name;
  Op op;
  void (*decode)(Form& form);
  std::string_view words;  // with a blank around each
  std::string_view types;
  unsigned least_operands, most_operands;
};

// By name.
std::span<const InstructionEntry> instruction_set();

}  // namespace nvmlkit::ptx
