#include "ptx/llvm/shape.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace nvmlkit::ptx::jit {
namespace {

// Lanes of addresses and of numbers that count something lie close together; others are data.
constexpr std::int64_t kFarthest = std::int64_t{1} << 31, kFarthestOfSmall = 1 << 20;

}  // namespace

std::uint64_t cut(std::uint64_t value, unsigned size) {
  return size < 8 ? value & ((std::uint64_t{1} << 8 * size) - 1) : value;
}

std::int64_t truncated(std::uint64_t value, unsigned size) {
  const unsigned unused = 64 - 8 * size;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

std::int64_t Shape::least() const { return *std::ranges::min_element(more); }
std::int64_t Shape::most() const { return *std::ranges::max_element(more); }
bool Shape::fits_word() const { return least() >= INT32_MIN && most() <= INT32_MAX; }

Shape join(const Shape& a, const Shape& b) {
  if (a.is_any || b.is_any || a.more != b.more) return Shape::any();
  Shape out = a;
  if (a.value != b.value) out.value.reset();
  if (a.example != b.example) out.example.reset();
  return out;
}

Shape sum(const Shape& a, const Shape& b, unsigned size, int sign) {
  if (a.is_any || b.is_any) return Shape::any();
  Shape out = Shape::same();
  for (unsigned lane = 0; lane < kLanes; ++lane)
    out.more[lane] = truncated(static_cast<std::uint64_t>(a.more[lane] + sign * b.more[lane]), size);
  if (a.value && b.value) out.value = cut(sign > 0 ? *a.value + *b.value : *a.value - *b.value, size);
  return out;
}

Shape product(const Shape& a, const Shape& b, unsigned size) {
  if (a.is_any || b.is_any) return Shape::any();
  if (a.is_same() && b.is_same()) {
    Shape out = Shape::same();
    if (a.value && b.value) out.value = cut(*a.value * *b.value, size);
    return out;
  }
  const auto& by = a.is_same() ? a : b;
  const auto& of = a.is_same() ? b : a;
  if (!by.is_same() || !by.value) return Shape::any();
  Shape out = Shape::same();
  for (unsigned lane = 0; lane < kLanes; ++lane)
    out.more[lane] = truncated(static_cast<std::uint64_t>(of.more[lane]) * *by.value, size);
  return out;
}

// Lanes that do not count often show what those that do have in common. Otherwise, all that count may be equal.
Shape observed(const std::byte* values, unsigned size, Mask lanes) {
  if (size < 4 || size > 8) return Shape::any();
  const auto value_of = [&](unsigned lane) {
    std::uint64_t value = 0;
    std::memcpy(&value, values + lane * size, size);
    return value;
  };
  Shape out = Shape::same();
  bool is_near = true, is_same = true;
  const auto first = value_of(0), first_that_counts = value_of(first_of(lanes));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    out.more[lane] = truncated(value_of(lane) - first, size);
    is_near &= std::abs(out.more[lane]) <= (size == 8 ? kFarthest : kFarthestOfSmall);
    if (lanes >> lane & 1) is_same &= value_of(lane) == first_that_counts;
  }
  if (!is_near && !is_same) return Shape::any();
  if (!is_near) out = Shape::same();
  out.example = is_near ? first : first_that_counts;
  return out;
}

}  // namespace nvmlkit::ptx::jit
