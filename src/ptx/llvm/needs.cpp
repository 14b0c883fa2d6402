#include "ptx/llvm/needs.hpp"

#include <algorithm>

namespace nvmlkit::ptx::jit {
namespace {

bool ends_range(const Instruction& i) {
  return i.kind == Kind::branch || i.kind == Kind::branch_table || i.kind == Kind::ret || i.kind == Kind::exit ||
         i.kind == Kind::trap;
}

}  // namespace

Needs::Needs(const Function& function) : function_(function) {
  const auto& accesses = function.accesses;
  std::size_t k = 0;
  for (std::uint32_t at = 0; at <= function.code.size(); ++at) {
    while (k < accesses.size() && accesses[k].at < at) ++k;
    first_access_.push_back(static_cast<std::uint32_t>(k));
  }
  find_ranges();
  for (bool grows = true; grows;) {
    grows = false;
    for (auto range = ranges_.rbegin(); range != ranges_.rend(); ++range) {
      std::set<Key> needed;
      for (const auto to : next_of(range->second - 1)) needed.insert(needed_at_[to].begin(), needed_at_[to].end());
      go_back(range->first, range->second, needed);
      auto& known = needed_at_[range->first];
      if (known == needed) continue;
      known = std::move(needed);
      grows = true;
    }
  }
}

void Needs::find_ranges() {
  const auto& code = function_.code;
  std::set<std::uint32_t> begins{0};
  for (std::uint32_t k = 0; k < code.size(); ++k) {
    if (!ends_range(code[k])) continue;
    if (k + 1 < code.size()) begins.insert(k + 1);
    if (code[k].kind == Kind::branch) begins.insert(static_cast<std::uint32_t>(code[k].immediate));
    if (code[k].kind == Kind::branch_table)
      for (const auto target : function_.tables[code[k].side]) begins.insert(target);
  }
  for (auto begin = begins.begin(); begin != begins.end(); ++begin) {
    const auto next = std::next(begin);
    ranges_[*begin] = next == begins.end() ? static_cast<std::uint32_t>(code.size()) : *next;
  }
}

std::vector<std::uint32_t> Needs::next_of(std::uint32_t last) const {
  const auto& i = function_.code[last];
  std::vector<std::uint32_t> out;
  if ((!ends_range(i) || i.guard.is_there()) && last + 1 < function_.code.size()) out.push_back(last + 1);
  if (i.kind == Kind::branch) out.push_back(static_cast<std::uint32_t>(i.immediate));
  if (i.kind == Kind::branch_table)
    out.insert(out.end(), function_.tables[i.side].begin(), function_.tables[i.side].end());
  return out;
}

std::span<const Access> Needs::accesses(std::uint32_t instruction) const {
  const auto first = first_access_[instruction], end = first_access_[instruction + 1];
  return {function_.accesses.data() + first, end - first};
}

void Needs::go_back(std::uint32_t begin, std::uint32_t end, std::set<Key>& needed) const {
  for (auto at = end; at-- > begin;) {
    for (const auto& a : accesses(at))
      if (a.replaces) needed.erase({a.offset, a.size});
    for (const auto& a : accesses(at))
      if (!a.replaces) needed.insert({a.offset, a.size});
  }
}

std::set<Key> Needs::at(std::uint32_t instruction) const {
  const auto range = std::prev(ranges_.upper_bound(instruction));
  std::set<Key> needed;
  for (const auto to : next_of(range->second - 1)) {
    const auto& further = needed_at_.at(to);
    needed.insert(further.begin(), further.end());
  }
  go_back(instruction, range->second, needed);
  return needed;
}

}  // namespace nvmlkit::ptx::jit
