// Stretches of instructions, and how one leads to another.
#include "ptx/llvm/translator.hpp"

#include <llvm/IR/MDBuilder.h>

#include <cstddef>

namespace nvmlkit::ptx::jit {

Translator::Translator(const Function& function, std::uint32_t start, CodeFor lanes, Assumptions& assumptions,
                       const Facts& facts, unsigned divisor)
    : function_(function),
      needs_(facts.needs),
      assumptions_(assumptions),
      plain_(facts.plain_loops),
      start_(start),
      all_lanes_(lanes == CodeFor::all_lanes) {
  assumptions_.set_data(facts.data.at(start));
  cuts_.divisor = divisor;
  find_region();
}

std::size_t Translator::instructions() const {
  std::size_t out = 0;
  for (const auto& stretch : stretches_) out += stretch.end - stretch.begin;
  return out;
}

llvm::BasicBlock* Translator::new_block(const char* name) {
  return llvm::BasicBlock::Create(code_->getContext(), name, code_);
}

void Translator::translate(llvm::Function& into) {
  code_ = &into;
  b_.emplace(into.getContext());
  context_ = into.getArg(0);
  b_->SetInsertPoint(new_block("entry"));
  emit_entry();
  begun_.resize(stretches_.size());
  for (auto& begun : begun_) begun.block = new_block("stretch");
  executed_ = b_->getInt64(0);
  hand_over(0);
  for (std::size_t k = 0; k < stretches_.size(); ++k) {
    if (k > 0 && stretches_[k].from.empty()) {
      begun_[k].block->eraseFromParent();
      continue;
    }
    begin_stretch(k);
    for (auto at = stretches_[k].begin; at < stretches_[k].end; ++at) emit_instruction(at);
    end_stretch(k);
  }
  // Edges back: by now all values are there.
  for (std::size_t k = 0; k < stretches_.size(); ++k) add_to_phis(k);
  emit_end_of_turns();
}

// Where several ways meet, values come from phis of the shape that was found. What no instruction changes needs none,
// and is known to lie in the frame as it was.
void Translator::begin_stretch(std::size_t number) {
  auto& begun = begun_[number];
  const auto ways = stretches_[number].from.size() + (number == 0 ? 1 : 0);
  b_->SetInsertPoint(begun.block);
  stretch_begin_ = stretches_[number].begin;
  stretch_end_ = stretches_[number].end;
  near_.clear();
  if (ways == 1) {
    values_ = begun.values;
    executed_ = begun.executed_before;
    lanes_ = begun.lanes_before;
    if (!arrivals_.empty()) act_for_lanes();
    return;
  }
  values_.clear();
  for (const auto& [key, shape] : shapes_[number]) {
    if (stays(key)) {
      values_[key] = loaded_.at(key);
      continue;
    }
    auto* const phi = b_->CreatePHI(b_->type_of(shape, key.size), static_cast<unsigned>(ways));
    begun.phis[key] = phi;
    values_[key] = {shape, phi};
  }
  begun.executed = b_->CreatePHI(b_->getInt64Ty(), static_cast<unsigned>(ways));
  executed_ = begun.executed;
  if (arrivals_.empty()) return;
  lanes_ = begun.lanes = b_->CreatePHI(b_->getInt32Ty(), static_cast<unsigned>(ways));
  act_for_lanes();
}

void Translator::emit_instruction(std::uint32_t at) {
  if (const auto pure = pure_form(function_, needs_, at)) return emit_pure(*pure, at);
  if (emit_parts(at)) return;
  if (!stays_in_row(at)) end_row(at);
  // Of a block of one warp: what is before it stays before it.
  if (function_.code[at].kind == Kind::barrier) {
    b_->CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
    return;
  }
  if (is_fence(at)) {
    b_->CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
    return;
  }
  if (function_.code[at].is_idle) return;
  if (const auto access = access_at(at)) return emit_access(*access, at);
  if (const auto copy = lane_copy(function_, at)) return emit_lane_copy(*copy, at);
  const bool is_known = emit_carry(at) || emit_exchange(at) || (!part_ && (emit_tensor(at) || emit_matrix_load(at)));
  if (!is_known) emit_by_interpreter(at);
}

bool Translator::is_fence(std::uint32_t at) const {
  const auto op = function_.meanings[at].op;
  return (op == Op::membar_ || op == Op::fence_) && function_.code[at].kind == Kind::plain;
}

void Translator::end_stretch(std::size_t number) {
  auto& b = *b_;
  const auto& stretch = stretches_[number];
  end_row(stretch.end);
  const auto length = stretch.end - stretch.begin;
  const auto& last = function_.code[stretch.end];
  if (stretch.then == Stretch::Then::leave) {
    if (end_turn(stretch)) return;
    stop_turn(stretch);
    if (stretch.is_cut_short && !part_) put_field(offsetof(CodeContext, resumes), b.getInt32(kMoreCode));
    return leave(stretch.end, length);
  }
  const bool is_branch = stretch.ends_with_branch;
  executed_ = b.CreateAdd(executed_, b.getInt64(length + (is_branch ? 1 : 0)));
  if (stretch.then == Stretch::Then::next) return go(number, stretch.to[0]);
  const auto guard = operand(last.guard, 0);
  if (parts_only(number)) {
    auto* const mask = b.mask_of(guard);
    return part_at(number, b.CreateAnd(last.guard_negated ? b.CreateNot(mask) : mask, lanes_));
  }
  auto* const taken = new_block("taken");
  auto* const passed = new_block("passed");
  const auto part_by = [&](llvm::Value* all) {
    b.CreateCondBr(all, last.guard_negated ? passed : taken, last.guard_negated ? taken : passed);
  };
  if (!guard.shape.is_any) {
    part_by(guard.value);
  } else {
    if (const auto [agree, all] = guard.agreement; agree) {
      auto *const agrees = new_block("agrees"), *const looks = new_block("looks");
      b.CreateCondBr(agree, agrees, looks, llvm::MDBuilder(b.getContext()).createBranchWeights(100, 1));
      b.SetInsertPoint(agrees);
      part_by(all);
      b.SetInsertPoint(looks);
    }
    auto* mask = b.mask_of(guard);
    if (last.guard_negated) mask = b.CreateNot(mask);
    auto* const some = new_block("some");
    auto* const parts = new_block("parts");
    if (!all_lanes_) mask = b.CreateAnd(mask, lanes_);
    b.CreateCondBr(b.CreateICmpEQ(mask, all_lanes_ ? b.getInt32(kAllLanes) : lanes_), taken, some);
    b.SetInsertPoint(some);
    b.CreateCondBr(b.CreateICmpEQ(mask, b.getInt32(0)), passed, parts);
    b.SetInsertPoint(parts);
    part_at(number, mask);
  }
  b.SetInsertPoint(taken);
  go(number, stretch.to[0]);
  b.SetInsertPoint(passed);
  go(number, stretch.to[1]);
}

// To another stretch. A way back ends where the turn of the warp has ended.
void Translator::go(std::size_t from, std::size_t to) {
  auto& b = *b_;
  if (to == Stretch::kOut) return leave(start_, 0);
  if (!all_lanes_) {  // others wait there, or are behind it
    auto* const meets = new_block("meets");
    auto* const goes_on = new_block("goes_on");
    b.CreateCondBr(b.CreateICmpUGE(b.getInt32(stretches_[to].begin), limit_), meets, goes_on);
    b.SetInsertPoint(meets);
    leave(stretches_[to].begin, 0);
    b.SetInsertPoint(goes_on);
  }
  if (to <= from) {
    auto* const budget = field(offsetof(CodeContext, budget), b.getInt64Ty());
    auto* const ends = new_block("turn_ends");
    auto* const goes_on = new_block("goes_on");
    b.CreateCondBr(b.CreateICmpSGE(executed_, budget), ends, goes_on);
    b.SetInsertPoint(ends);
    leave(stretches_[to].begin, 0);
    b.SetInsertPoint(goes_on);
  }
  hand_over(to);
}

// Some lanes take the branch at the end of a stretch, and some do not.
void Translator::part_at(std::size_t number, llvm::Value* takes) {
  auto& b = *b_;
  const auto& stretch = stretches_[number];
  const auto values = values_;
  auto* const executed = executed_;
  const auto known = partings_.find(number);
  if (known != partings_.end()) {
    if (!all_lanes_) {  // others wait there, or are behind it
      auto* const goes_on = new_block("parting");
      auto* const meets = new_block("meets");
      b.CreateCondBr(b.CreateICmpULT(b.getInt32(stretches_[known->second.between.back()].begin), limit_), goes_on,
                     meets);
      b.SetInsertPoint(goes_on);
      emit_parting(number, takes);
      b.SetInsertPoint(meets);
    } else {
      emit_parting(number, takes);
    }
  }
  values_ = values;
  executed_ = executed;
  if (arrivals_.contains(number)) {
    auto *const arrives = new_block("arrives"), *const parts = new_block("parts_for_others");
    const auto ahead = stretches_[arrivals_.at(number).ahead].begin;
    b.CreateCondBr(b.CreateICmpEQ(b.getInt32(ahead), limit_), arrives, parts);
    b.SetInsertPoint(arrives);
    emit_arrival(number, takes);
    b.SetInsertPoint(parts);
    values_ = values;
    executed_ = executed;
  }
  if (known == partings_.end() || !all_lanes_) leave_at_both_ways(stretch, takes);
  executed_ = executed;
}

void Translator::hand_over(std::size_t to) {
  auto& b = *b_;
  auto& begun = begun_[to];
  const auto ways = stretches_[to].from.size() + (to == 0 ? 1 : 0);
  if (ways == 1) {
    begun.values = values_;
    begun.executed_before = executed_;
    begun.lanes_before = lanes_;
  } else {
    // In the form of the phi, made here; it is added when all phis are there.
    Incoming incoming{b.GetInsertBlock(), executed_, lanes_, {}};
    for (const auto& [key, shape] : shapes_[to]) {
      if (stays(key)) continue;
      const auto own = values_.find(key);
      incoming.values[key] =
          own == values_.end() ? llvm::UndefValue::get(b.type_of(shape, key.size)) : b.as(in_form(own->second), shape);
    }
    incoming.from = b.GetInsertBlock();
    begun.incoming.push_back(std::move(incoming));
  }
  b.CreateBr(begun.block);
}

void Translator::add_to_phis(std::size_t to) {
  auto& begun = begun_[to];
  for (const auto& incoming : begun.incoming) {
    for (const auto& [key, phi] : begun.phis) phi->addIncoming(incoming.values.at(key), incoming.from);
    begun.executed->addIncoming(incoming.executed, incoming.from);
    if (begun.lanes) begun.lanes->addIncoming(incoming.lanes, incoming.from);
  }
}

// To the interpreter, at an instruction, so many behind the beginning of the stretch.
void Translator::leave(std::uint32_t at, unsigned more_executed) {
  if (part_) return leave_parted(at, more_executed);
  auto& b = *b_;
  spill_new(needs_.at(at));
  put_field(offsetof(CodeContext, executed), b.CreateAdd(executed_, b.getInt64(more_executed)));
  put_field(offsetof(CodeContext, at), b.getInt32(at));
  end_with(CodeEnd::left);
}

void Translator::end_with(CodeEnd end) { b_->CreateRet(b_->getInt32(static_cast<std::uint32_t>(end))); }

}  // namespace nvmlkit::ptx::jit
