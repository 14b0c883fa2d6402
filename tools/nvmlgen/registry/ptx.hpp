// registry/cuda/ptx.yaml: the instructions of PTX that are simulated.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nvmlgen::ptx {

// What statements with all of these words and types need.
struct Need {
  std::vector<std::string> words;
  int version = 0;       // 10 * major + minor
  int architecture = 0;  // the same
  bool exact = false;    // no other architecture, and not a newer one
};

struct Instruction {
  std::string name;
  std::string decoder;
  std::vector<std::string> words, types;
  unsigned least_operands = 0, most_operands = 0;
  std::vector<Need> needs;
};

// What PTX has beyond the simulated instructions: whole instructions, and words and types of the others.
struct NotSimulated {
  std::vector<std::string> instructions, words;
};

struct InstructionSet {
  std::vector<Instruction> instructions;  // by name; groups of words and types replaced by what they stand for
  NotSimulated others;                    // both lists sorted
};

InstructionSet load(const std::filesystem::path& file);

}  // namespace nvmlgen::ptx
