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

// One of so many warps is counted, by chance: threads that all write a number wait for each other.
inline constexpr std::uint32_t kWarpsForOneCounted = 8;

struct PieceNode {
  NumberedPiece code;
  PieceList* list = nullptr;
  mutable std::atomic<const PieceNode*> next{nullptr};
  mutable std::atomic<std::uint32_t> fitted{0};  // so many of the warps that were counted
  mutable std::atomic<std::uint32_t> since{0};   // of them, since PieceList::begin_count
  mutable std::atomic<bool> is_used{false};      // a warp fitted
  std::uint32_t idle = 0;                        // processes before this one in which none did
  std::uint32_t at = 0;
  CodeFor lanes = CodeFor::all_lanes;
  // Of warps that were counted since one left the piece at a check of what it takes for granted.
  mutable std::atomic<std::uint32_t> seen{0}, surprising{0};

  // On the way of each warp: the line of the cache is not written again.
  void use() const {
    if (!is_used.load(std::memory_order_relaxed)) is_used.store(true, std::memory_order_relaxed);
  }
  // A warp is counted. True: most of them leave the piece too early.
  bool counts(bool is_surprising) const;
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
  // Which piece fits fewest of the warps that are counted from now on. Null: there is none, or that one fits more than
  // `most`.
  void begin_count();
  const PieceNode* least_useful(std::uint32_t most) const;
  // Warps that execute the piece go on with it. False: another thread changes the list, or has taken it out.
  bool remove(const PieceNode& node);
  // All of them now, in their order.
  std::vector<const PieceNode*> nodes() const;

 private:
  void move_to_front(const PieceNode& node);

  std::atomic<const PieceNode*> first_{nullptr};
  mutable std::mutex mutex_;  // of those who change it
};

}  // namespace nvmlkit::ptx
