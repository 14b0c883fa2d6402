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
    const bool is_counted = (worker.instructions * 0x9E3779B97F4A7C15 >> 32) % kWarpsForOneCounted == 0;
    if (is_counted && (node != first || node->next.load(std::memory_order_relaxed))) node->list->count(*node);
    const bool is_surprising = context.resumes != 0 && context.resumes == context.at;
    if (is_counted && (is_surprising || node->surprising.load(std::memory_order_relaxed) != 0))
      context.unfit = node->counts(is_surprising) && is_surprising ? node : nullptr;
    polls |= context.polls != 0;
    worker.changes |= context.polls != 0;
    return end;
  }
  return CodeEnd::mismatch;
}

}  // namespace nvmlkit::ptx
