#include "libraries/curand/sobol.hpp"

#include <set>

namespace nvmlkit::curand {
namespace {

// Polynomials over GF(2), a bit for each power of x.
std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t polynomial, int degree) {
  std::uint64_t out = 0;
  for (; b != 0; b >>= 1) {
    if (b & 1) out ^= a;
    a <<= 1;
    if (a >> degree & 1) a ^= polynomial;
  }
  return out;
}
std::uint64_t power_of_x(std::uint64_t exponent, std::uint64_t polynomial, int degree) {
  std::uint64_t out = 1, base = degree == 1 ? 1 : 2;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) out = times(out, base, polynomial, degree);
    base = times(base, base, polynomial, degree);
  }
  return out;
}
std::set<std::uint64_t> prime_factors(std::uint64_t n) {
  std::set<std::uint64_t> out;
  for (std::uint64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) out.insert(p);
  if (n > 1) out.insert(n);
  return out;
}

struct Polynomial {
  std::uint64_t bits;
  int degree;
};
// The primitive ones, by degree and by their bits: one for each dimension but the first.
std::vector<Polynomial> primitive_polynomials(std::size_t count) {
  std::vector<Polynomial> out;
  for (int degree = 1; out.size() < count; ++degree) {
    const std::uint64_t order = (std::uint64_t{1} << degree) - 1;
    const auto factors = prime_factors(order);
    const auto is_primitive = [&](std::uint64_t bits) {
      if (power_of_x(order, bits, degree) != 1) return false;
      for (const auto factor : factors)
        if (power_of_x(order / factor, bits, degree) == 1) return false;
      return true;
    };
    for (std::uint64_t bits = order + 2; bits <= 2 * order + 1 && out.size() < count; bits += 2)
      if (degree == 1 || is_primitive(bits)) out.push_back({bits, degree});
  }
  return out;
}

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// The initial number k of a dimension: of the table, or any odd number that is small enough.
std::uint64_t initial(std::uint32_t dimension, int k, std::size_t place) {
  if (place < initial_numbers().size()) return initial_numbers()[place];
  return (mixed(dimension * std::uint64_t{64} + static_cast<unsigned>(k)) & ((std::uint64_t{2} << k) - 1)) | 1;
}

Directions scrambled(const Directions& from, std::uint32_t dimension) {
  Directions out{};
  for (int row = 0; row < 64; ++row) {  // a triangle of bits with a diagonal of 1
    const std::uint64_t below = row == 63 ? 0 : ~std::uint64_t{0} >> (row + 1);
    const std::uint64_t taken =
        (mixed(dimension * std::uint64_t{128} + static_cast<unsigned>(row)) & ~below) | std::uint64_t{1} << (63 - row);
    for (std::size_t k = 0; k < 64; ++k)
      if (__builtin_parityll(from[k] & taken)) out[k] |= std::uint64_t{1} << (63 - row);
  }
  return out;
}

}  // namespace

std::vector<Directions> directions(std::uint32_t dimensions, bool is_scrambled) {
  std::vector<Directions> out(1);
  for (std::size_t k = 0; k < 64; ++k) out[0][k] = std::uint64_t{1} << (63 - k);
  std::size_t place = 0;
  for (const auto& [bits, degree] : primitive_polynomials(dimensions > 0 ? dimensions - 1 : 0)) {
    Directions v{};
    for (int k = 0; k < 64; ++k) {
      auto& here = v[static_cast<std::size_t>(k)];
      if (k < degree) {
        here = initial(static_cast<std::uint32_t>(out.size()), k, place++) << (63 - k);
        continue;
      }
      here = v[static_cast<std::size_t>(k - degree)] ^ v[static_cast<std::size_t>(k - degree)] >> degree;
      for (int j = 1; j < degree; ++j)
        if (bits >> (degree - j) & 1) here ^= v[static_cast<std::size_t>(k - j)];
    }
    out.push_back(v);
  }
  if (is_scrambled)
    for (std::uint32_t d = 0; d < out.size(); ++d) out[d] = scrambled(out[d], d);
  return out;
}

std::uint64_t scramble_constant(std::uint32_t dimension) { return mixed(0x6e766d6c6b697400u + dimension); }

}  // namespace nvmlkit::curand
