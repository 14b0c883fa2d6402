// Lanes that leave a loop before others: they come to where the rest of the warp waits, and those that are left go on
// in the same piece.
#include <cstddef>

#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {

// Of the branch at the end of a stretch, at which lanes may part. One of its targets lies ahead, where others may wait.
void Translator::note_arrival(std::size_t number) {
  const auto& stretch = stretches_[number];
  if (all_lanes_ || arrivals_.contains(number) || stretch.to[0] == stretch.to[1]) return;
  const auto begin_of = [&](std::uint32_t to) { return to == Stretch::kOut ? start_ : stretches_[to].begin; };
  const auto ahead = begin_of(stretch.to[0]) > begin_of(stretch.to[1]) ? stretch.to[0] : stretch.to[1];
  if (ahead == Stretch::kOut || begin_of(ahead) <= stretch.end) return;
  const auto rest = ahead == stretch.to[0] ? stretch.to[1] : stretch.to[0];
  arrivals_[number] = {ahead, rest};
  if (rest != Stretch::kOut) stretches_[rest].from.push_back(static_cast<std::uint32_t>(number));
}

// `takes`: the lanes for which the branch is taken, some of those that execute. Other lanes wait at `ahead`.
void Translator::emit_arrival(std::size_t number, llvm::Value* takes) {
  auto& b = *b_;
  const auto [ahead, rest] = arrivals_.at(number);
  auto *const all = lanes_, *const acting = acting_, *const executes = executes_, *const acts = acts_;
  auto* const passes = b.CreateXor(all, takes);
  const bool takes_lead_on = ahead == stretches_[number].to[0];
  lanes_ = takes_lead_on ? takes : passes;
  spill_new(needs_.at(stretches_[ahead].begin));
  put_field(offsetof(CodeContext, arrived), b.CreateOr(field(offsetof(CodeContext, arrived), b.getInt32Ty()), lanes_));
  lanes_ = takes_lead_on ? passes : takes;
  put_field(offsetof(CodeContext, lanes), lanes_);
  act_for_lanes();
  go(number, rest);
  lanes_ = all;
  acting_ = acting;
  executes_ = executes;
  acts_ = acts;
}

void Translator::act_for_lanes() {
  executes_ = acts_ = b_->predicate_of(lanes_);
  acting_ = lanes_;
}

}  // namespace nvmlkit::ptx::jit
