// registry/cuda/ptx.yaml: the instructions of PTX that are simulated.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nvmlgen::ptx {

struct Instruction {
  std::string name;
  std::string decoder;
  std::vector<std::string> words, types;
  unsigned least_operands = 0, most_operands = 0;
};

// By name; groups of words and types replaced by what they stand for.
std::vector<Instruction> load(const std::filesystem::path& file);

}  // namespace nvmlgen::ptx
