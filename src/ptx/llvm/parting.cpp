#include "ptx/llvm/parting.hpp"

#include <map>

#include "ptx/compile/context.hpp"

namespace nvmlkit::ptx::jit {
namespace {

// The ways are compiled once more, for some lanes.
constexpr std::uint32_t kMostToPart = 96;

bool has_meetings(const Function& function, const Stretch& stretch) {
  for (auto at = stretch.begin; at < stretch.end; ++at)
    if (function.code[at].kind == Kind::converge || function.code[at].kind == Kind::barrier) return true;
  return false;
}

}  // namespace

std::optional<Parting> parting_at(const Function& function, const std::vector<Stretch>& stretches, std::size_t branch) {
  std::map<std::uint32_t, std::size_t> pending;  // by their place
  const auto leads_on = [&](std::size_t from) {
    for (const auto to : stretches[from].to) {
      if (to == Stretch::kOut || stretches[to].begin <= stretches[from].begin) return false;
      pending[stretches[to].begin] = to;
    }
    return pending.size() < kMostParts;
  };
  Parting out;
  std::uint32_t length = 0;
  if (!leads_on(branch)) return std::nullopt;
  while (pending.size() > 1) {
    const auto next = pending.begin()->second;
    pending.erase(pending.begin());
    const auto& stretch = stretches[next];
    length += stretch.end - stretch.begin + 1;
    if (length > kMostToPart || has_meetings(function, stretch) || !leads_on(next)) return std::nullopt;
    out.between.push_back(next);
  }
  if (pending.empty() || out.between.empty()) return std::nullopt;
  out.meets = pending.begin()->second;
  return out;
}

}  // namespace nvmlkit::ptx::jit
