#include "libraries/dnn/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nvmlkit::dnn {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_sum(double a, double b) {
  if (a < b) std::swap(a, b);
  return a == kNever ? kNever : a + std::log1p(std::exp(b - a));
}

}  // namespace

double cost_of(const Alignment& a, const std::vector<double>& logs, std::int64_t classes,
               std::vector<double>* posterior) {
  const std::size_t states = 2 * a.labels.size() + 1, frames = static_cast<std::size_t>(a.frames);
  const auto label = [&](std::size_t s) { return static_cast<std::size_t>(s % 2 ? a.labels[s / 2] : 0); };
  const auto emitted = [&](std::size_t t, std::size_t s) {
    return logs[t * static_cast<std::size_t>(classes) + label(s)];
  };
  const auto skips = [&](std::size_t s) { return s % 2 == 1 && s >= 2 && label(s) != label(s - 2); };
  if (frames == 0) return states == 1 ? 0 : -kNever;
  std::vector<std::vector<double>> before(frames, std::vector<double>(states, kNever)), after = before;
  for (std::size_t s = 0; s < std::min<std::size_t>(2, states); ++s) before[0][s] = emitted(0, s);
  for (std::size_t t = 1; t < frames; ++t)
    for (std::size_t s = 0; s < states; ++s) {
      double sum = before[t - 1][s];
      if (s >= 1) sum = log_sum(sum, before[t - 1][s - 1]);
      if (skips(s)) sum = log_sum(sum, before[t - 1][s - 2]);
      before[t][s] = sum + emitted(t, s);
    }
  const double total = states > 1 ? log_sum(before.back()[states - 1], before.back()[states - 2]) : before.back()[0];
  if (!posterior) return -total;
  posterior->assign(frames * static_cast<std::size_t>(classes), 0);
  if (total == kNever) return -total;
  for (std::size_t s = states - std::min<std::size_t>(2, states); s < states; ++s) after.back()[s] = 0;
  for (std::size_t t = frames - 1; t-- > 0;)
    for (std::size_t s = 0; s < states; ++s) {
      double sum = after[t + 1][s] + emitted(t + 1, s);
      if (s + 1 < states) sum = log_sum(sum, after[t + 1][s + 1] + emitted(t + 1, s + 1));
      if (s + 2 < states && skips(s + 2)) sum = log_sum(sum, after[t + 1][s + 2] + emitted(t + 1, s + 2));
      after[t][s] = sum;
    }
  for (std::size_t t = 0; t < frames; ++t)
    for (std::size_t s = 0; s < states; ++s)
      (*posterior)[t * static_cast<std::size_t>(classes) + label(s)] += std::exp(before[t][s] + after[t][s] - total);
  return -total;
}

}  // namespace nvmlkit::dnn
