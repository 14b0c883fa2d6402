// The pieces of one instruction, until one fits.
#pragma once

#include "ptx/compile/piece.hpp"
#include "ptx/run/worker.hpp"

namespace nvmlkit::ptx {

// Whether a warp left code at a check of what the code takes for granted.
inline bool is_surprising(const CodeContext& warp) { return warp.resumes != 0 && warp.resumes == warp.at; }

// Of a warp that fitted a piece and is counted.
[[gnu::noinline]] inline void count_warp(const PieceNode& fitting, const PieceNode& first, CodeContext& context,
                                         bool is_surprising) {
  if (&fitting != &first || fitting.next.load(std::memory_order_relaxed)) fitting.list->count(fitting);
  if (is_surprising || fitting.surprising.load(std::memory_order_relaxed) != 0)
    context.unfit = fitting.counts(is_surprising) && is_surprising ? &fitting : nullptr;
}

// A warp has fitted a piece. `polls` becomes true if memory was changed that others may wait for, or looked at that
// they may change.
inline void note_fit(const PieceNode& fitting, const PieceNode& first, CodeContext& context, Worker& worker,
                     bool& polls) {
  fitting.use();
  if (worker.counts_warp()) count_warp(fitting, first, context, is_surprising(context));
  if (context.polls == 0) return;
  polls = true;
  if (context.polls & kMemoryChanged) worker.changes = true;
  context.polls = 0;
}

// Those from `node` on; `first` is the first one of the instruction.
inline CodeEnd try_pieces_from(const PieceNode* node, const PieceNode& first, CodeContext& context, Worker& worker,
                               bool& polls) {
  for (; node; node = node->next.load(std::memory_order_acquire)) {
    context.reached = worker.reached(node->code);
    const auto end = node->code.piece.code(&context);
    if (end == CodeEnd::mismatch) continue;
    note_fit(*node, first, context, worker, polls);
    return end;
  }
  return CodeEnd::mismatch;
}

inline CodeEnd try_pieces(const PieceNode* node, CodeContext& context, Worker& worker, bool& polls) {
  return try_pieces_from(node, *node, context, worker, polls);
}

}  // namespace nvmlkit::ptx
