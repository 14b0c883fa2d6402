#include "ptx/llvm/extremes.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace nvmlkit::ptx::jit {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

std::optional<std::int64_t> number_in(const Shape& shape, Type type) {
  const auto bits = shape.value ? shape.value : shape.example;
  if (!bits) return std::nullopt;
  return is_signed(type) ? truncated(*bits, 4) : static_cast<std::int64_t>(*bits & 0xFFFFFFFF);
}

}  // namespace

std::optional<Extreme> extreme_of(const Pure& pure, const std::vector<Shape>& arguments) {
  const bool least = pure.rule == Rule::least;
  if ((!least && pure.rule != Rule::greatest) || is_float(pure.type) || size_of(pure.type) != 4) return std::nullopt;
  const auto &a = arguments[0], &b = arguments[1];
  if (a.is_any || b.is_any || (a.is_same() && b.is_same())) return std::nullopt;
  const auto of_a = number_in(a, pure.type), of_b = number_in(b, pure.type);
  if (!of_a || !of_b) return std::nullopt;
  const auto by = *of_a - *of_b;
  // A lane takes the first number while lane 0 has at most so much more of it, for a minimum; for a maximum, at least.
  std::array<std::int64_t, kLanes> turns{};
  for (unsigned lane = 0; lane < kLanes; ++lane) turns[lane] = b.more[lane] - a.more[lane];
  const auto [lowest, highest] = std::ranges::minmax(turns);
  const auto without_value = [](Shape shape) {
    shape.value.reset();
    return shape;
  };
  if (by <= lowest) return Extreme{without_value(least ? a : b), Limits::min(), lowest};
  if (by >= highest) return Extreme{without_value(least ? b : a), highest, Limits::max()};
  Shape mixed = Shape::same();
  const auto pick = [&](std::int64_t x, std::int64_t y) { return least ? std::min(x, y) : std::max(x, y); };
  for (unsigned lane = 0; lane < kLanes; ++lane)
    mixed.more[lane] = pick(a.more[lane], b.more[lane] - by) - pick(0, -by);
  return Extreme{mixed, by, by};
}

}  // namespace nvmlkit::ptx::jit
