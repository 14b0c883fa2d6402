// Pieces of compiled code as a function keeps them.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "ptx/compile/context.hpp"

namespace nvmlkit::ptx {

// A piece with its number among all of the process.
struct NumberedPiece {
  Piece piece;
  std::uint32_t number = 0;
};

class PieceList;

struct PieceNode {
  NumberedPiece code;
  PieceList* list = nullptr;
  mutable std::atomic<const PieceNode*> next{nullptr};
  mutable std::atomic<std::uint32_t> fitted{0};  // so many of the warps that were counted
  mutable std::atomic<bool> is_used{false};      // a warp fitted
  std::uint32_t idle = 0;                        // processes before this one in which none did

  // On the way of each warp: the line of the cache is not written again.
  void use() const {
    if (!is_used.load(std::memory_order_relaxed)) is_used.store(true, std::memory_order_relaxed);
  }
};

// The pieces for an instruction, in the order in which they are tried. The one that fits most warps goes first: of a
// grid of blocks, those at its borders need code of their own, and all others should not look at it. Warps look through
// the list while it changes; one may miss a piece then, and is interpreted.
class PieceList {
 public:
  const PieceNode* first() const { return first_.load(std::memory_order_acquire); }
  void add_first(PieceNode& node);
  void add_last(PieceNode& node);
  // A warp that is counted fits the piece.
  void count(const PieceNode& node);
  // All of them now, in their order.
  std::vector<const PieceNode*> nodes() const;

 private:
  void move_to_front(const PieceNode& node);

  std::atomic<const PieceNode*> first_{nullptr};
  mutable std::mutex mutex_;  // of those who change it
};

}  // namespace nvmlkit::ptx
