// Lanes that part at a branch and meet again in the same piece: each way is executed by those that take it.
#include <algorithm>
#include <cstddef>

#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {

// What is known where the lanes meet: nothing of what one of the ways sets.
void Translator::pass_parting(std::size_t number, Shapes& shapes) {
  for (const auto k : partings_.at(number).between)
    for (auto at = stretches_[k].begin; at < stretches_[k].end; ++at)
      for (const auto& a : needs_.accesses(at))
        if (a.writes || a.replaces || a.size == 0) shapes[{a.offset, a.size}] = Shape::any();
}

// False: the lanes have to part for others.
bool Translator::may_part(std::size_t number, const Shapes& shapes) {
  const auto& stretch = stretches_[number];
  if (stretch.then != Stretch::Then::branch) return false;
  if (!shape_of_operand(function_.code[stretch.end].guard, 0, shapes).is_any) return false;
  if (partings_.contains(number)) return true;
  auto parting = parting_at(function_, stretches_, number);
  if (!parting) {
    note_arrival(number);
    return false;
  }
  stretches_[parting->meets].from.push_back(static_cast<std::uint32_t>(number));
  partings_.emplace(number, std::move(*parting));
  return true;
}

// In code for some lanes, a part that all of them take is as fast as code for that case: there is none. Stretches that
// no way leads to any more are left out, too.
void Translator::leave_out_single_ways() {
  const auto drop = [&](std::size_t from, std::size_t to) {
    auto& known = stretches_[to].from;
    if (const auto at = std::ranges::find(known, from); at != known.end()) known.erase(at);
  };
  for (const auto& [number, parting] : partings_)
    if (parts_only(number))
      for (const auto to : stretches_[number].to) drop(number, to);
  for (std::size_t k = 1; k < stretches_.size(); ++k) {
    if (!stretches_[k].from.empty()) continue;
    if (const auto parting = partings_.find(k); parting != partings_.end()) drop(k, parting->second.meets);
    const auto arrival = arrivals_.find(k);
    if (arrival != arrivals_.end() && arrival->second.rest != Stretch::kOut) drop(k, arrival->second.rest);
    for (const auto to : stretches_[k].to)
      if (to != Stretch::kOut && !parts_only(k)) drop(k, to);
  }
}

// `takes`: the lanes for which the branch is taken, some of those that execute.
void Translator::emit_parting(std::size_t number, llvm::Value* bits) {
  auto& b = *b_;
  auto* const takes = b.predicate_of(bits);
  const auto& parting = partings_.at(number);
  auto *const acts = acts_, *const acting = acting_;
  const auto& to = stretches_[number].to;
  auto* const none = llvm::Constant::getNullValue(takes->getType());
  auto* const passes = all_lanes_ ? b.CreateNot(takes) : b.CreateSelect(takes, none, executes_);
  pending_ = {{stretches_[to[0]].begin, takes}, {stretches_[to[1]].begin, passes}};
  bool goes_on = true;
  for (const auto k : parting.between) {
    const bool has_lanes = all_lanes_ && (k == to[0] || k == to[1]);
    goes_on = emit_part(k, has_lanes) && goes_on;
    if (!goes_on) break;
  }
  acts_ = acts;
  acting_ = acting;
  part_ = part_bits_ = nullptr;
  pending_.clear();
  near_.clear();
  if (goes_on) go(number, parting.meets);
}

// False: the code never comes to the end of it.
bool Translator::emit_part(std::size_t number, bool has_lanes) {
  auto& b = *b_;
  const auto& stretch = stretches_[number];
  part_ = acts_ = pending_.at(stretch.begin);
  part_bits_ = acting_ = b.mask_of({Shape::any(), part_});
  pending_.erase(stretch.begin);
  kept_.clear();
  for (const auto& [begin, lanes] : pending_) kept_.merge(needs_.at(begin));
  const auto pending = pending_;
  const auto values = values_;
  auto* const executed = executed_;
  auto* const from = b.GetInsertBlock();
  auto* const done = has_lanes ? nullptr : new_block("part_done");
  if (!has_lanes) {
    auto* const begins = new_block("part");
    b.CreateCondBr(b.CreateICmpNE(part_bits_, b.getInt32(0)), begins, done);
    b.SetInsertPoint(begins);
  }
  near_.clear();
  stretch_begin_ = stretch.begin;
  stretch_end_ = stretch.end;
  for (auto at = stretch.begin; at < stretch.end; ++at) emit_instruction(at);
  end_row(stretch.end);
  const auto length = stretch.end - stretch.begin;
  if (stretch.then == Stretch::Then::leave) {
    leave(stretch.end, length);
    if (!done) return false;
    b.SetInsertPoint(done);
    values_ = values;
    executed_ = executed;
    pending_ = pending;
    return true;
  }
  executed_ = b.CreateAdd(executed_, b.getInt64(length + (stretch.ends_with_branch ? 1 : 0)));
  send_lanes(stretch);
  if (done) join_part(from, done, values, pending, executed);
  return true;
}

Lanes Translator::of_part(Key key, const Lanes& lanes, const Lanes& before) {
  if (!part_ || !kept_.contains(key)) return lanes;
  return {Shape::any(), b_->CreateSelect(part_, b_->as_vector(in_form(lanes)), b_->as_vector(in_form(before)))};
}

// To where the lanes of a part go on.
void Translator::send_lanes(const Stretch& stretch) {
  auto& b = *b_;
  const auto send = [&](std::size_t to, llvm::Value* lanes) {
    auto*& waiting = pending_[stretches_[to].begin];
    waiting = waiting ? b.CreateOr(waiting, lanes) : lanes;
  };
  if (stretch.then == Stretch::Then::next) return send(stretch.to[0], part_);
  const auto& branch = function_.code[stretch.end];
  auto* taken = b.as_vector(operand(branch.guard, 0));
  if (branch.guard_negated) taken = b.CreateNot(taken);
  auto* const none = llvm::Constant::getNullValue(part_->getType());
  send(stretch.to[0], b.CreateSelect(part_, taken, none));
  send(stretch.to[1], b.CreateSelect(taken, none, part_));
}

// Behind a part that no lane may have come to.
void Translator::join_part(llvm::BasicBlock* from, llvm::BasicBlock* done, const Values& before,
                           const std::map<std::uint32_t, llvm::Value*>& pending, llvm::Value* executed) {
  auto& b = *b_;
  struct Met {
    Key key;
    Shape shape;
    llvm::Value *around, *through;
  };
  std::vector<Met> met;
  for (const auto& [key, lanes] : values_) {
    const auto own = before.find(key);
    const bool was_there = own != before.end();
    if (was_there && own->second.value == lanes.value && own->second.shape.is_like(lanes.shape)) continue;
    const auto shape = was_there ? join(own->second.shape, lanes.shape) : lanes.shape;
    met.push_back({key, shape, nullptr, b.as(in_form(lanes), shape)});
  }
  auto* const end = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(from->getTerminator());
  for (auto& m : met) {
    const auto own = before.find(m.key);
    m.around = own == before.end() ? llvm::UndefValue::get(m.through->getType()) : b.as(in_form(own->second), m.shape);
  }
  b.SetInsertPoint(done);
  const auto meet = [&](llvm::Value* around, llvm::Value* through) -> llvm::Value* {
    auto* const phi = b.CreatePHI(through->getType(), 2);
    phi->addIncoming(around, from);
    phi->addIncoming(through, end);
    return phi;
  };
  for (const auto& m : met) values_[m.key] = {m.shape, meet(m.around, m.through)};
  for (auto& [begin, lanes] : pending_) {
    const auto own = pending.find(begin);
    if (own != pending.end() && own->second == lanes) continue;
    lanes = meet(own == pending.end() ? llvm::Constant::getNullValue(lanes->getType()) : own->second, lanes);
  }
  executed_ = meet(executed, executed_);
}

// To the interpreter, with lanes at several instructions. The part is at one of them.
void Translator::leave_parted(std::uint32_t at, unsigned more_executed) {
  std::vector<PlaceOfLanes> places{{at, part_bits_}};
  for (const auto& [begin, lanes] : pending_) places.emplace_back(begin, b_->mask_of({Shape::any(), lanes}));
  leave_in_parts(places, more_executed);
}

// Behind the branch at the end of a stretch, which some lanes take.
void Translator::leave_at_both_ways(const Stretch& stretch, llvm::Value* takes) {
  auto* const all = all_lanes_ ? b_->getInt32(kAllLanes) : lanes_;
  const auto target = static_cast<std::uint32_t>(function_.code[stretch.end].immediate);
  leave_in_parts({{target, takes}, {stretch.end + 1, b_->CreateXor(all, takes)}}, 0);
}

void Translator::leave_in_parts(const std::vector<PlaceOfLanes>& places, unsigned more_executed) {
  auto& b = *b_;
  std::set<Key> needed;
  for (const auto& [at, lanes] : places) {
    auto own = needs_.at(at);
    needed.merge(own);
  }
  spill_new(needed);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto offset = offsetof(CodeContext, parts) + k * sizeof(Part);
    put_field(offset + offsetof(Part, at), b.getInt32(places[k].first));
    put_field(offset + offsetof(Part, lanes), places[k].second);
  }
  put_field(offsetof(CodeContext, part_count), b.getInt32(static_cast<std::uint32_t>(places.size())));
  put_field(offsetof(CodeContext, executed), b.CreateAdd(executed_, b.getInt64(more_executed)));
  end_with(CodeEnd::parted);
}

}  // namespace nvmlkit::ptx::jit
