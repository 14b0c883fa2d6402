// Where a region ends for a new look at the values: a loop whose addresses are not known before it begins may show at
// its start that they are rows after all.
#include <algorithm>
#include <cstddef>

#include "ptx/compile/shared_writes.hpp"
#include "ptx/llvm/translator.hpp"
#include "ptx/run/special.hpp"

namespace nvmlkit::ptx::jit {
namespace {

std::optional<std::size_t> span_of(const Function& function, std::uint64_t low, std::uint64_t high) {
  constexpr std::uint64_t kWindow = std::uint64_t{0xFF} << 56;
  if ((low & kWindow) != (high & kWindow) || ((low & kWindow) != 0 && (low & kWindow) != kSharedWindow))
    return std::nullopt;
  low &= ~kWindow, high &= ~kWindow;
  const auto& spans = function.shared_spans;
  for (std::size_t k = 0; k < spans.size(); ++k)
    if (low >= spans[k].offset && high < spans[k].offset + spans[k].size) return k;
  return std::nullopt;
}

// From which variable an address comes. Of two parts of a sum, the larger one: the other is an index.
struct Origin {
  const Function& function;
  const Needs& needs;
  const Assumptions& assumptions;
  const std::set<Key>& written;  // by the code; others are what they are now

  std::optional<std::size_t> of(Operand from, std::uint8_t size, std::uint32_t before, unsigned depth) const {
    const Key key{from.offset(), size};
    if (from.area() != Operand::registers || depth == 0) return std::nullopt;
    if (written.contains(key))
      for (auto at = before; at-- > 0;)
        for (const auto& a : needs.accesses(at))
          if (a.writes && Key{a.offset, a.size} == key) return of_result(at, depth - 1);
    const auto [low, high] = assumptions.range_of(key);
    return span_of(function, low, high);
  }

  bool is_behind(std::size_t one, std::size_t other) const {
    return function.shared_spans[one].offset > function.shared_spans[other].offset;
  }

  std::optional<std::size_t> of_result(std::uint32_t at, unsigned depth) const {
    const auto pure = pure_form(function, needs, at);
    if (!pure) return std::nullopt;
    switch (pure->rule) {
      case Rule::number:
        return span_of(function, pure->number, pure->number);
      case Rule::copy:
      case Rule::window:
      case Rule::convert:
      case Rule::add:
      case Rule::mad:
      case Rule::mad_wide:
      case Rule::bit_or:
        break;
      default:
        return std::nullopt;
    }
    std::optional<std::size_t> out;
    for (const auto& a : pure->arguments)
      if (const auto one = of(a.operand, a.size, at, depth); one && (!out || is_behind(*one, *out))) out = one;
    return out;
  }
};

}  // namespace

void Translator::find_region() {
  cuts_.at_meetings = !all_lanes_;
  cuts_.limit = assumptions_.limit();
  cuts_.passes_barriers = assumptions_.may_be_whole();
  stretches_ = stretches_from(function_, start_, cuts_);
  cut_before_writes();
  do {
    stretches_ = stretches_from(function_, start_, cuts_);
    find_shapes();
  } while (cut_further());
  leave_out_single_ways();
  if (cuts_.passes_barriers && passes_barrier()) assumptions_.assume_whole();
}

bool Translator::passes_barrier() const {
  for (const auto& stretch : stretches_)
    for (auto at = stretch.begin; at < stretch.end; ++at)
      if (function_.code[at].kind == Kind::barrier) return true;
  return false;
}

bool Translator::cut_further() { return cut_ways_back() || cut_loops(); }

bool Translator::has_unknown_address(std::size_t first, std::size_t last) {
  for (auto k = first; k <= last; ++k) {
    auto shapes = shapes_[k];
    for (auto at = stretches_[k].begin; at < stretches_[k].end; ++at) {
      const auto access = access_at(at);
      const auto space = access ? access->space : Space::local;
      const bool is_of_others = space != Space::kernel_param && space != Space::param && space != Space::local;
      if (is_of_others && shape_of_address(*access, shapes).is_any) return true;
      pass_instruction(at, shapes);
    }
  }
  return false;
}

// A block of one warp has none that could write before it has read.
bool Translator::is_alone_in_block() {
  std::uint64_t threads = 1;
  for (unsigned k = 0; k < 3; ++k) {
    const auto& size = assumptions_.of_special({static_cast<std::uint32_t>(offsetof(SpecialValues, ntid[0])) +
                                                    k * static_cast<std::uint32_t>(sizeof(SpecialValues::ntid[0])),
                                                4});
    if (!size.value) return false;
    threads *= *size.value;
  }
  return threads <= kLanes;
}

// The variable in shared memory that an access lies in, as the warp is now: the number of a span. It is found by the
// values that the warp has, and by the sums that lead from them to the address.
std::optional<std::size_t> Translator::variable_at(std::uint32_t at, const std::set<Key>& written) const {
  const auto& i = function_.code[at];
  if (!i.a.is_there()) return span_of(function_, i.immediate, i.immediate);
  return Origin{function_, needs_, assumptions_, written}.of(i.a, i.wide_address ? 8 : 4, at, 8);
}

// Behind a barrier, the warps of a block take short turns: what one reads there it reads before another one writes it
// again (Block::take_turns). Code that reads a variable in shared memory there ends before it writes it.
void Translator::cut_before_writes() {
  if (start_ == 0 || function_.code[start_ - 1].kind != Kind::barrier) return;
  std::set<Key> written;
  for (const auto& stretch : stretches_)
    for (auto at = stretch.begin; at < stretch.end; ++at)
      for (const auto& a : needs_.accesses(at))
        if (a.writes) written.insert({a.offset, a.size});
  constexpr auto kUnknown = ~std::size_t{0};
  const auto variable_of = [&](std::uint32_t at) { return variable_at(at, written).value_or(kUnknown); };
  const auto reads = [&](std::uint32_t at) {
    return function_.code[at].space == Space::shared && function_.meanings[at].op == Op::ld_;
  };
  // What was read before each stretch, on any way.
  std::vector<std::set<std::size_t>> before(stretches_.size());
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t k = 0; k < stretches_.size(); ++k) {
      auto read = before[k];
      for (auto at = stretches_[k].begin; at < stretches_[k].end; ++at)
        if (reads(at)) read.insert(variable_of(at));
      for (const auto to : stretches_[k].to) {
        if (to == Stretch::kOut) continue;
        const auto known = before[to].size();
        before[to].insert(read.begin(), read.end());
        grows |= before[to].size() != known;
      }
    }
  }
  for (std::size_t k = 0; k < stretches_.size(); ++k)
    for (auto at = stretches_[k].begin; at < stretches_[k].end; ++at) {
      if (reads(at)) before[k].insert(variable_of(at));
      if (at == start_ || before[k].empty() || !writes_shared(function_, at)) continue;
      const auto variable = variable_of(at);
      if (variable == kUnknown || before[k].contains(kUnknown) || before[k].contains(variable)) cuts_.at.insert(at);
    }
  if (cuts_.at.empty()) return;
  if (cuts_.passes_barriers) assumptions_.assume_whole();
  if (assumptions_.is_whole() || is_alone_in_block()) cuts_.at.clear();
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
