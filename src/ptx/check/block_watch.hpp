// What a sanitizer keeps of a block: it looks at barriers and at the order of accesses.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "ptx/checks.hpp"
#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {

namespace races {
class BlockState;
}

class BlockWatch {
 public:
  explicit BlockWatch(Block& block);
  ~BlockWatch();

  void start();
  // Lanes arrive at a barrier; `expected` threads, 0 for all.
  void arrives(Warp& warp, const Fragment& own, Mask lanes, unsigned barrier, unsigned expected);
  // So many threads have arrived, and those that wait go on.
  void releases(unsigned barrier, unsigned arrived, unsigned expected);
  void arrives_in_cluster(Warp& warp, Mask lanes);
  void leaves_cluster(Warp& warp, Mask lanes);
  void releases_cluster();
  // Lanes stopped waiting for others of their set.
  void goes_on_without(Warp& warp, const Fragment& own, Mask lanes);
  // A wrong access ends lanes: that they do not come to a barrier is no fault of its own.
  void ends(const Warp& warp, Mask lanes);
  // Before an instruction for a set of lanes is executed.
  void check_lanes(Warp& warp, const Instruction& i, Mask lanes);
  // Threads look at what others write; something changed, so that others can go on.
  void polls() { polled_ = true; }
  void changes() { changed_ = true; }
  bool has_polled() const { return polled_; }
  // Since the last call, threads did nothing else than to look at memory.
  bool only_polled();
  // Null unless the order of accesses is looked at.
  races::BlockState* races() const { return races_.get(); }

 private:
  void check_release(unsigned barrier, unsigned arrived, unsigned expected);

  void meet(Warp& warp, const Instruction& i, Mask lanes);
  // False: something is wrong.
  bool check_warp(const Warp& warp, unsigned barrier, Mask alive, bool is_for_block);
  void report(BadBarrier::Kind kind, std::string text, const Warp& warp, const Frame* frame, std::uint32_t pc,
              Mask lanes);

  Block& block_;
  unsigned expected_[16] = {};  // by those that have arrived
  Mask together_ = 0;           // lanes at different instructions that wait for each other
  const Warp* together_in_ = nullptr;
  // Of each warp and barrier: lanes that lived when the first of them arrived.
  std::vector<std::array<Mask, 16>> alive_;
  bool polled_ = false, changed_ = false;
  unsigned refused_ = 0;    // threads that ended so
  std::uint32_t live_ = 0;  // threads, at the last look
  std::unique_ptr<races::BlockState> races_;
};

}  // namespace nvmlkit::ptx
