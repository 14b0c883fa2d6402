#include "sim/problem/names.hpp"

#include <algorithm>
#include <vector>

namespace nvmlkit::sim {
namespace {

constexpr std::size_t kLongestCompared = 64;
constexpr std::size_t kLongestListing = 24;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Edits of one character, and swaps of two neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view given, std::span<const std::string_view> candidates) {
  if (given.size() > kLongestCompared) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, given.size() / 3) + 1;
  for (const auto candidate : candidates) {
    const std::size_t d = distance(given, candidate);
    if (d < best_distance) {
      best = candidate;
      best_distance = d;
    }
  }
  if (!best.empty() || given.size() < 4) return best;
  // A word left out or too many, as in total for total_bytes.
  for (const auto candidate : candidates)
    if (candidate.find(given) != std::string_view::npos ||
        (candidate.size() > 3 && given.find(candidate) != std::string_view::npos))
      return candidate;
  return {};
}

std::string valid_names(std::span<const std::string_view> candidates) {
  if (candidates.empty()) return {};
  if (candidates.size() > kLongestListing)
    return "none of the " + std::to_string(candidates.size()) + " known names is similar";
  std::string out = candidates.size() > 1 ? "expected one of " : "expected ";
  for (std::size_t i = 0; i < candidates.size(); ++i) out.append(i > 0 ? ", " : "").append(candidates[i]);
  return out;
}

std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string out = "'";
  std::size_t size = std::min(text.size(), kLongest);
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  for (const char c : text.substr(0, size)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  if (size < text.size()) out += "...";
  return out + "'";
}

}  // namespace nvmlkit::sim
