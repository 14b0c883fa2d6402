#include "scenario/draw.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nvmlkit::scenario {
namespace {

std::uint64_t mixed(std::uint64_t x) {  // SplitMix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t hash_of(std::initializer_list<std::string_view> words) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3ULL; };
  for (const auto word : words) {
    for (const char c : word) add(static_cast<unsigned char>(c));
    add(0);
  }
  return mixed(hash);
}

double draw(std::initializer_list<std::string_view> words) {
  return static_cast<double>(hash_of(words) >> 11) * 0x1p-53;
}

std::vector<std::size_t> draw_items(const std::vector<std::size_t>& items, std::size_t count, std::string_view words) {
  std::vector<std::pair<std::uint64_t, std::size_t>> ranked;
  for (const auto item : items) ranked.emplace_back(hash_of({words, "item", std::to_string(item)}), item);
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(count, ranked.size()));
  std::vector<std::size_t> out;
  for (const auto& [hash, item] : ranked) out.push_back(item);
  std::sort(out.begin(), out.end());
  return out;
}

std::size_t count_of_fraction(std::size_t size, double fraction, std::string_view words) {
  const double wanted = static_cast<double>(size) * fraction;
  const double whole = std::floor(wanted);
  return static_cast<std::size_t>(whole) + (draw({words, "count"}) < wanted - whole ? 1 : 0);
}

}  // namespace nvmlkit::scenario
