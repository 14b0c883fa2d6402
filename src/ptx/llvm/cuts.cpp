// Where a region ends for a new look at the values: a loop whose addresses are not known before it begins may show at
// its start that they are rows after all.
#include <algorithm>

#include "ptx/compile/shared_writes.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {

void Translator::find_region() {
  cuts_.at_meetings = !all_lanes_;
  stretches_ = stretches_from(function_, start_, cuts_);
  cut_before_writes();
  do {
    stretches_ = stretches_from(function_, start_, cuts_);
    find_shapes();
  } while (cut_further());
}

bool Translator::cut_further() { return cut_ways_back() || cut_loops(); }

bool Translator::has_unknown_address(std::size_t first, std::size_t last) {
  for (auto k = first; k <= last; ++k) {
    auto shapes = shapes_[k];
    for (auto at = stretches_[k].begin; at < stretches_[k].end; ++at) {
      const auto access = access_at(at);
      const bool is_of_others = access && access->space != Space::kernel_param && access->space != Space::local;
      if (is_of_others && shape_of_address(*access, shapes).is_any) return true;
      pass_instruction(at, shapes);
    }
  }
  return false;
}

// Behind a barrier, the warps of a block take short turns: what one reads there it reads before another one writes it
// again (Block::take_turns). Code that reads shared memory there ends before it writes some.
void Translator::cut_before_writes() {
  if (start_ == 0 || function_.code[start_ - 1].kind != Kind::barrier) return;
  bool reads = false;
  std::set<std::uint32_t> writes;
  for (const auto& stretch : stretches_)
    for (auto at = stretch.begin; at < stretch.end; ++at) {
      if (writes_shared(function_, at)) writes.insert(at);
      reads |= function_.code[at].space == Space::shared && function_.meanings[at].op == Op::ld_;
    }
  writes.erase(start_);
  if (reads) cuts_.at = writes;
}

bool Translator::cut_loops() {
  for (std::size_t k = 1; k < stretches_.size(); ++k) {
    const auto& from = stretches_[k].from;
    const auto last = *std::ranges::max_element(from);
    const auto begin = stretches_[k].begin;
    if (last < k || plain_.contains(begin) || !has_unknown_address(k, last)) continue;
    cuts_.at.insert(begin);
    return true;
  }
  return false;
}

// Ways back to the start on which a base of addresses is lost.
bool Translator::cut_ways_back() {
  std::set<Key> bases;
  for (const auto& stretch : stretches_)
    for (auto at = stretch.begin; at < stretch.end; ++at)
      if (const auto access = access_at(at); access && access->base.area() == Operand::registers)
        bases.insert({access->base.offset(), static_cast<std::uint8_t>(access->wide_address ? 8 : 4)});
  const auto needed = needs_.at(start_);
  for (const auto k : stretches_[0].from) {
    auto shapes = shapes_[k];
    pass(stretches_[k], shapes);
    for (const auto key : needed) {
      if (!bases.contains(key) || assumptions_.of_register(key).is_any || !shapes[key].is_any) continue;
      if (cuts_.back_from.insert(stretches_[k].end).second) return true;
    }
  }
  return false;
}

}  // namespace nvmlkit::ptx::jit
