// The instructions that are simulated, from registry/cuda/ptx.yaml.
#pragma once

#include <span>
#include <string_view>

#include "ptx/generated/instructions.hpp"

namespace nvmlkit::ptx {

class Form;

// What statements with all of these words and types need of their module.
struct InstructionNeed {
  std::string_view words;  // with a dot between them
  int version;             // 10 * major + minor
  int architecture;        // the same
  bool exact;              // sm_90a, say: no other, and not a newer one
};

struct InstructionEntry {
  std::string_view name;
  Op op;
  void (*decode)(Form& form);
  std::string_view words;  // with a blank around each
  std::string_view types;
  unsigned least_operands, most_operands;
  std::span<const InstructionNeed> needs;
};

// By name.
std::span<const InstructionEntry> instruction_set();
// What else PTX has: instructions, and words and types of those of the set. Sorted.
std::span<const std::string_view> instructions_not_simulated();
std::span<const std::string_view> words_not_simulated();

}  // namespace nvmlkit::ptx
