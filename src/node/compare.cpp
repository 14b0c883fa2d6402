#include "node/compare.hpp"

#include <algorithm>
#include <string_view>

namespace nvmlkit::node {
namespace {

enum class Rank { file, link, specification };

Rank rank_of(std::string_view path, const root::Entry& entry) {
  if (path.starts_with("etc/cdi/") || path == "nvidia-cdi.json") return Rank::specification;
  return std::holds_alternative<root::Link>(entry) ? Rank::link : Rank::file;
}

}  // namespace

Difference compare(const root::Tree& wanted, const root::Tree& there) {
  Difference out;
  for (const auto& [path, entry] : wanted)
    if (const auto found = there.find(path); found == there.end() || found->second != entry) out.put.push_back(path);
  for (const auto& [path, entry] : there)
    if (!wanted.contains(path)) out.erase.push_back(path);
  std::stable_sort(out.put.begin(), out.put.end(),
                   [&](const auto& a, const auto& b) { return rank_of(a, wanted.at(a)) < rank_of(b, wanted.at(b)); });
  std::stable_partition(out.erase.begin(), out.erase.end(),
                        [&](const auto& path) { return std::holds_alternative<root::Link>(there.at(path)); });
  return out;
}

}  // namespace nvmlkit::node
