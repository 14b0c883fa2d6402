#include "ptx/llvm/data.hpp"

#include <algorithm>
#include <deque>

#include "ptx/llvm/access_form.hpp"
#include "ptx/llvm/exchange_form.hpp"
#include "ptx/llvm/pure.hpp"

namespace nvmlkit::ptx::jit {
namespace {

// Of larger functions, branches are not looked at: the table of their ends would be large.
constexpr std::size_t kMostRanges = 512;

}  // namespace

Data::Data(const Function& function, const Needs& needs)
    : function_(function), needs_(needs), ranges_(needs.ranges().begin(), needs.ranges().end()) {
  for (std::size_t k = 0; k < ranges_.size(); ++k) number_of_[ranges_[k].first] = k;
  data_.resize(ranges_.size());
  if (ranges_.size() <= kMostRanges) find_ends();
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t k = 0; k < ranges_.size(); ++k) grows |= add_from(k);
  }
  ends_.clear();
  joined_.clear();
}

std::vector<std::size_t> Data::next_of(std::size_t range) const {
  std::vector<std::size_t> out;
  for (const auto to : needs_.next_of(ranges_[range].second - 1)) out.push_back(number_of_.at(to));
  return out;
}

// Backwards, from what is true of the last ones, until nothing changes.
void Data::find_ends() {
  const auto count = ranges_.size();
  ends_.assign(count, Bits(count, true));
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t k = count; k-- > 0;) {
      const auto next = next_of(k);
      Bits all(count, !next.empty());
      for (const auto to : next)
        for (std::size_t other = 0; other < count; ++other) all[other] = all[other] && ends_[to][other];
      all[k] = true;
      if (all == ends_[k]) continue;
      ends_[k] = std::move(all);
      changes = true;
    }
  }
}

// The first range that all ways from the end of this one come to: the one that comes to all the others.
std::size_t Data::meeting_of(std::size_t range) const {
  const auto count = ends_.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (k == range || !ends_[range][k]) continue;
    bool is_first = true;
    for (std::size_t other = 0; other < count && is_first; ++other)
      is_first = other == range || !ends_[range][other] || ends_[k][other];
    if (is_first) return k;
  }
  return count;
}

std::set<Key> Data::written_between(std::size_t range, std::size_t meeting) const {
  std::set<Key> out;
  Bits seen(ranges_.size());
  std::deque<std::size_t> wanted;
  const auto add_next = [&](std::size_t from) {
    for (const auto to : next_of(from))
      if (to != meeting) wanted.push_back(to);
  };
  add_next(range);
  while (!wanted.empty()) {
    const auto k = wanted.front();
    wanted.pop_front();
    if (seen[k]) continue;
    seen[k] = true;
    for (auto at = ranges_[k].first; at < ranges_[k].second; ++at)
      for (const auto& a : needs_.accesses(at))
        if (a.writes) out.insert({a.offset, a.size});
    add_next(k);
  }
  return out;
}

bool Data::gives_data(std::uint32_t at, bool takes_data) const {
  if (const auto access = memory_access(function_, needs_, at)) return access->space != Space::kernel_param;
  if (pure_form(function_, needs_, at) || parts_form(function_, at) || exchange_form(function_, at)) return takes_data;
  return true;
}

void Data::pass(std::uint32_t begin, std::uint32_t end, std::set<Key>& data) const {
  for (auto at = begin; at < end; ++at) {
    const auto accesses = needs_.accesses(at);
    if (std::ranges::none_of(accesses, [](const auto& a) { return a.writes; })) continue;
    const bool takes_data = std::ranges::any_of(accesses, [&](const auto& a) {
      return !a.writes && data.contains({a.offset, a.size});
    });
    const bool gives = gives_data(at, takes_data);
    for (const auto& a : accesses) {
      if (!a.writes) continue;
      if (gives)
        data.insert({a.offset, a.size});
      else if (a.replaces)
        data.erase({a.offset, a.size});
    }
  }
}

// To the ranges that follow. True: something is new.
bool Data::add_from(std::size_t range) {
  auto data = data_[range];
  const auto [begin, end] = ranges_[range];
  pass(begin, end, data);
  bool grows = false;
  const auto add = [&](std::size_t to, const std::set<Key>& more) {
    const auto before = data_[to].size();
    data_[to].insert(more.begin(), more.end());
    grows |= data_[to].size() != before;
  };
  for (const auto to : next_of(range)) add(to, data);
  const auto& last = function_.code[end - 1];
  if (ends_.empty() || last.kind != Kind::branch || !last.guard.is_there()) return grows;
  if (!data.contains({last.guard.offset(), 0})) return grows;
  auto known = joined_.find(range);
  if (known == joined_.end()) {
    const auto meeting = meeting_of(range);
    known = joined_.emplace(range, Joined{meeting, {}}).first;
    if (meeting < ranges_.size()) known->second.written = written_between(range, meeting);
  }
  if (known->second.meeting < ranges_.size()) add(known->second.meeting, known->second.written);
  return grows;
}

std::set<Key> Data::at(std::uint32_t instruction) const {
  const auto range = std::prev(number_of_.upper_bound(instruction));
  auto out = data_[range->second];
  pass(range->first, instruction, out);
  return out;
}

}  // namespace nvmlkit::ptx::jit
