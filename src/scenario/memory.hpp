// What a node remembers of its scenarios while no program runs: a file beside the machine's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "scenario/run.hpp"

namespace nvmlkit::scenario {

struct Remembered {
  std::string hash;           // of the file's content
  std::int64_t begin_ns = 0;  // in the machine's time
  bool undo_wanted = true;
  std::vector<Progress> progress;
  std::vector<sim::steering::Undo> undo;
};

using Memory = std::map<std::string, Remembered>;  // by file

// Empty where there is no such file, where it is of another machine, or where it is damaged.
Memory read_memory(const std::filesystem::path& file, const std::string& machine);

// Replaces the file by one rename. The problem names the file.
sim::Expected<void> write_memory(const std::filesystem::path& file, const std::string& machine, const Memory& memory);

// Tells contents apart.
std::string hash_of_text(std::string_view text);

}  // namespace nvmlkit::scenario
