// The command line of NVIDIA's ptxas, as that of CUDA 13.0 reads it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace nvmlkit::ptxas {

enum class Task : std::uint8_t { assemble, print_usage, print_version, print_versions };

struct Options {
  Task task = Task::assemble;
  std::vector<std::string> inputs;   // names of files, `-` for standard input
  std::vector<std::string> texts;    // in place of files
  std::vector<std::string> entries;  // that alone are wanted; empty: all
  std::string gpu = "sm_75";
  std::string output = "elf.o";
  bool is_relocatable = false;  // what it declares may be defined elsewhere
  bool is_verbose = false;
};

// What ends the program, in ptxas' words.
struct Fatal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws Fatal. Options that direct the optimizer are read and have no effect: PTX is what runs.
Options options_of(const std::vector<std::string>& arguments);

}  // namespace nvmlkit::ptxas
