// How code goes on from one warp of a block to the next (Block::take_usual_turns).
#include "ptx/llvm/turns.hpp"

#include <llvm/IR/MDBuilder.h>

#include <cstddef>

#include "ptx/compile/barriers.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using State = WholeWarp::State;

constexpr std::size_t kCopied = offsetof(WholeWarp, local_bytes) + sizeof(WholeWarp::local_bytes);
static_assert(offsetof(CodeContext, warp) == 0 && offsetof(WholeWarp, warp) == 0);
static_assert(offsetof(CodeContext, local_bytes) == offsetof(WholeWarp, local_bytes));

}  // namespace

// At a barrier of all threads, or behind the last instruction. False: the code gives the warp back there.
bool Translator::end_turn(const Stretch& stretch) {
  if (!all_lanes_ || !function_.is_entry) return false;
  const auto& last = function_.code[stretch.end];
  const auto length = stretch.end - stretch.begin;
  if (ends_threads(last)) return end_turn(stretch.end, length + 1, State::ended), true;
  if (stretch.is_cut_short || !is_of_all_threads(last) || (stretch.begin == start_ && length == 0)) return false;
  spill_new(needs_.at(stretch.end));
  return end_turn(stretch.end, length, State::at_barrier), true;
}

void Translator::end_turn(std::uint32_t at, unsigned more_executed, State state) {
  auto& b = *b_;
  auto* const executed = b.CreateAdd(executed_, b.getInt64(more_executed));
  turns_.ends.push_back({b.GetInsertBlock(), executed, at, state});
}

// Where the code ends, and so does a short turn: the other warps have theirs before this one goes on.
void Translator::stop_turn(const Stretch& stretch) {
  auto& b = *b_;
  if (!all_lanes_ || !function_.is_entry || stretch.end == start_) return;
  auto *const stops = new_block("stops"), *const goes_on = new_block("goes_on");
  auto* const stops_at = field(offsetof(CodeContext, stops_at), b.getInt32Ty());
  b.CreateCondBr(b.CreateICmpEQ(stops_at, b.getInt32(stretch.end)), stops, goes_on);
  b.SetInsertPoint(stops);
  spill_new(needs_.at(stretch.end));
  end_turn(stretch.end, stretch.end - stretch.begin, State::runs);
  b.SetInsertPoint(goes_on);
}

// When all of the code is there.
void Translator::emit_end_of_turns() {
  if (turns_.ends.empty()) return;
  auto& b = *b_;
  const auto count = static_cast<unsigned>(turns_.ends.size());
  auto* const ends = new_block("turn_ends");
  b.SetInsertPoint(ends);
  auto *const executed = b.CreatePHI(b.getInt64Ty(), count), *const at = b.CreatePHI(b.getInt32Ty(), count),
              *const state = b.CreatePHI(b.getInt8Ty(), count);
  for (const auto& one : turns_.ends) {
    llvm::IRBuilder<>(one.from).CreateBr(ends);
    executed->addIncoming(one.executed, one.from);
    at->addIncoming(b.getInt32(one.at), one.from);
    state->addIncoming(b.getInt8(static_cast<std::uint8_t>(one.state)), one.from);
  }
  put_field(offsetof(CodeContext, executed), executed);
  put_field(offsetof(CodeContext, at), at);
  const auto is = [&](State s) { return b.CreateICmpEQ(state, b.getInt8(static_cast<std::uint8_t>(s))); };
  auto* const has_ended = is(State::ended);
  if (!turns_.is_of_one) {
    auto* const more = field(offsetof(CodeContext, more), b.getInt32Ty());
    auto *const next = new_block("next_turn"), *const last = new_block("last_turn");
    const auto weights = llvm::MDBuilder(b.getContext()).createBranchWeights(3, 1);
    b.CreateCondBr(b.CreateICmpEQ(more, b.getInt32(0)), last, next, weights);
    b.SetInsertPoint(next);
    put_field(offsetof(CodeContext, more), b.CreateSub(more, b.getInt32(1)));
    begin_next_turn({executed, at, state, has_ended, is(State::runs)});
    b.SetInsertPoint(last);
  }
  const auto code_end = [&](CodeEnd end) { return b.getInt32(static_cast<std::uint32_t>(end)); };
  b.CreateRet(b.CreateSelect(has_ended, code_end(CodeEnd::ended), code_end(CodeEnd::left)));
}

void Translator::begin_next_turn(const Turns::Last& last) {
  auto& b = *b_;
  const auto add = [&](std::size_t offset, llvm::Value* by) {
    put_field(offset, b.CreateAdd(field(offset, by->getType()), by));
  };
  add(offsetof(CodeContext, executed_before), last.executed);
  add(offsetof(CodeContext, ended_before), b.CreateZExt(last.has_ended, b.getInt32Ty()));
  add(offsetof(CodeContext, stopped_before), b.CreateZExt(last.has_stopped, b.getInt32Ty()));
  auto* const own = field(offsetof(CodeContext, own), b.getPtrTy());
  const auto of_own = [&](std::size_t offset) { return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), own, offset); };
  b.CreateStore(last.at, of_own(offsetof(WholeWarp, pc)));
  b.CreateStore(last.state, of_own(offsetof(WholeWarp, state)));
  auto* const next = of_own(sizeof(WholeWarp));
  put_field(offsetof(CodeContext, own), next);
  b.CreateMemCpyInline(context_, llvm::Align(8), next, llvm::Align(8), b.getInt64(kCopied));
  b.CreateBr(turns_.begin);
}

}  // namespace nvmlkit::ptx::jit
