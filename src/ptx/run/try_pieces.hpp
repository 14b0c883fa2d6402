// The pieces of one instruction, until one fits.
#pragma once

#include "ptx/compile/piece.hpp"
#include "ptx/run/worker.hpp"

namespace nvmlkit::ptx {

// `polls` becomes true if memory was changed that others may wait for.
inline CodeEnd try_pieces(const PieceNode* node, CodeContext& context, Worker& worker, bool& polls) {
  for (const auto* const first = node; node; node = node->next.load(std::memory_order_acquire)) {
    context.reached = worker.reached(node->code);
    const auto end = node->code.piece.code(&context);
    if (end == CodeEnd::mismatch) continue;
    node->use();
    // One of eight is counted, by chance: threads that all write a number wait for each other.
    const bool is_counted = worker.instructions * 0x9E3779B97F4A7C15 >> 61 == 0;
    if (is_counted && (node != first || node->next.load(std::memory_order_relaxed))) node->list->count(*node);
    polls |= context.polls != 0;
    worker.changes |= context.polls != 0;
    return end;
  }
  return CodeEnd::mismatch;
}

}  // namespace nvmlkit::ptx
