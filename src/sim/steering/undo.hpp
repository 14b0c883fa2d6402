// What takes back a command of steer(), in words of steer() itself.
#pragma once

#include <string>
#include <vector>

#include "sim/steering/command.hpp"

namespace nvmlkit::sim::steering {

struct Undo {
  // Of two with one key, the older one leads back to the beginning.
  std::string key;
  std::vector<std::string> words;
  // The key of an older one that the command itself takes back: then neither is needed. Empty: none.
  std::string voids = {};
};

// To be asked before the command is done. A fault ends, a workload becomes what it was, a value that was set becomes
// what it was or moves again, an instance or a process that was made goes, and one that went comes back. Nothing for
// `heal`, `release` and `time`, and for words that steer() refuses.
std::vector<Undo> undo_of(const Machine& machine, Words words);

}  // namespace nvmlkit::sim::steering
