// Blocks that are resident together and may share memory: one, or those of a cluster. One worker at a time executes
// them, in turns.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/block.hpp"

namespace nvmlkit::ptx {

class Group {
 public:
  Group(Run& run, unsigned blocks);

  void start(std::uint64_t number);
  // Until all blocks have ended, nothing moves, or each warp has executed about so many instructions.
  Progress execute(Run& run, std::uint64_t instructions_of_warp);

  bool polls = false;  // it gave its turn away because it looks at memory again and again

 private:
  struct Member {
    std::unique_ptr<Block> block;
    bool has_finished = false;
  };
  std::vector<Member> members_;
};

}  // namespace nvmlkit::ptx
