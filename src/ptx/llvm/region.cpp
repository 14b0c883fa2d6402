#include "ptx/llvm/region.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "ptx/compile/barriers.hpp"

namespace nvmlkit::ptx::jit {
namespace {

// To compile more takes long, and few kernels execute it often enough.
constexpr std::size_t kMostInstructions = 400, kMostInARow = 1200;
// At a barrier, where other code may begin as well, it ends sooner: twice the code takes LLVM more than twice as long.
constexpr std::size_t kMostBeforeBarrier = 80;

class Search {
 public:
  Search(const Function& function, std::uint32_t start, const Cuts& cuts)
      : code_(function.code), start_(start), cuts_(cuts) {
    find_starts();
  }

  std::vector<Stretch> in_order() {
    visit(start_);
    std::reverse(order_.begin(), order_.end());
    std::map<std::uint32_t, std::uint32_t> number_of;
    for (std::uint32_t k = 0; k < order_.size(); ++k) number_of[order_[k]] = k;
    std::vector<Stretch> out;
    for (const auto begin : order_) {
      auto stretch = stretch_at(begin);
      for (auto& to : stretch.to)
        to = to == start_ && cuts_.back_from.contains(stretch.end) ? Stretch::kOut : number_of.at(to);
      out.push_back(std::move(stretch));
    }
    for (std::uint32_t k = 0; k < out.size(); ++k)
      for (const auto to : out[k].to)
        if (to != Stretch::kOut) out[to].from.push_back(k);
    return out;
  }

 private:
  bool ends_at(std::uint32_t at) const {
    if (at >= cuts_.limit) return true;
    if (cuts_.at_meetings && code_[at].kind == Kind::converge) return true;
    const bool is_passed = cuts_.passes_barriers && is_of_all_threads(code_[at]) && !code_[at].d.is_there();
    if (is_passed) return at != start_ && is_cut(at);
    return is_left_to_others(code_[at]) || (at != start_ && is_cut(at));
  }
  bool is_cut(std::uint32_t at) const { return cuts_.at.contains(at) || ends_.contains(at); }

  void find_starts() {
    std::deque<std::uint32_t> wanted{start_};
    std::set<std::uint32_t> seen;
    while (!wanted.empty()) {
      auto at = wanted.front();
      wanted.pop_front();
      if (!starts_.insert(at).second) continue;
      for (; seen.insert(at).second; ++at) {
        const auto& i = code_[at];
        if (ends_at(at)) break;
        const bool begins = starts_.contains(at);
        if (i.kind == Kind::barrier && seen.size() > kMostBeforeBarrier) {
          ends_.insert(at);
          break;
        }
        if (seen.size() > (begins ? kMostInstructions : kMostInARow) / cuts_.divisor) {
          ends_.insert(at);
          break;
        }
        if (i.kind != Kind::branch) continue;
        wanted.push_back(static_cast<std::uint32_t>(i.immediate));
        if (i.guard.is_there()) wanted.push_back(at + 1);
        break;
      }
    }
  }

  Stretch stretch_at(std::uint32_t begin) const {
    Stretch out;
    out.begin = begin;
    for (auto at = begin;; ++at) {
      out.end = at;
      if (at != begin && starts_.contains(at)) {
        out.then = Stretch::Then::next;
        out.to = {at};
        return out;
      }
      const auto& i = code_[at];
      if (ends_at(at)) {
        out.is_cut_short = ends_.contains(at) && (i.kind == Kind::plain || i.kind == Kind::guarded);
        return out;
      }
      if (i.kind != Kind::branch) continue;
      const auto target = static_cast<std::uint32_t>(i.immediate);
      out.then = i.guard.is_there() ? Stretch::Then::branch : Stretch::Then::next;
      out.to = {target};
      out.ends_with_branch = true;
      if (i.guard.is_there()) out.to.push_back(at + 1);
      return out;
    }
  }

  void visit(std::uint32_t begin) {
    if (!visited_.insert(begin).second) return;
    const auto to = stretch_at(begin).to;
    for (auto next = to.rbegin(); next != to.rend(); ++next) visit(*next);
    order_.push_back(begin);
  }

  const std::vector<Instruction>& code_;
  const std::uint32_t start_;
  const Cuts& cuts_;
  std::set<std::uint32_t> starts_, visited_, ends_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

bool is_left_to_others(const Instruction& i) {
  switch (i.kind) {
    case Kind::plain:
    case Kind::guarded:
    case Kind::branch:
      return false;
    case Kind::converge:
      return i.guard.is_there();
    default:
      return true;
  }
}

std::vector<Stretch> stretches_from(const Function& function, std::uint32_t start, const Cuts& cuts) {
  return Search(function, start, cuts).in_order();
}

}  // namespace nvmlkit::ptx::jit
