#include "libraries/blas/product.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "libraries/blas/routines.hpp"

namespace nvmlkit::blas {
namespace {

template <class S>
S scalar(DoubleComplex v) {
  if constexpr (std::is_same_v<S, Real<S>>)
    return static_cast<S>(v.real());
  else
    return static_cast<S>(v);
}

// A matrix as numbers of type S: itself, or a copy.
template <class S>
struct Operand {
  const S* data;
  int ld;
  std::vector<S> copy;

  Operand(const Matrix& matrix, std::int64_t rows, std::int64_t columns, Rounding rounding) {
    if (matrix.type == kTypeOf<S> && rounding == Rounding::none) {
      data = static_cast<const S*>(matrix.data);
      ld = static_cast<int>(matrix.ld);
      return;
    }
    copy.resize(static_cast<std::size_t>(rows * columns));
    const auto* const bytes = static_cast<const char*>(matrix.data);
    const auto size = static_cast<std::int64_t>(size_of(matrix.type));
    if (matrix.ld == rows)
      load(matrix.type, bytes, rows * columns, copy.data(), rounding);
    else
      for (std::int64_t j = 0; j < columns; ++j)
        load(matrix.type, bytes + j * matrix.ld * size, rows, copy.data() + j * rows, rounding);
    data = copy.data();
    ld = static_cast<int>(std::max<std::int64_t>(rows, 1));
  }
};

template <class S>
void multiply_all(const Product& p, const Operand<S>& a, const Operand<S>& b, S alpha, S beta, S* c, int ldc) {
  if (p.m <= 0 || p.n <= 0) return;
  gemm<S>(p.ta, p.tb, static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k), alpha, a.data, a.ld, b.data,
          b.ld, beta, c, ldc);
}

// Null where there is none.
template <class S>
const std::function<void(std::int64_t, S*)>* epilogue_of(const Product& p) {
  if constexpr (std::is_same_v<S, float>)
    return p.epilogue ? &p.epilogue : nullptr;
  else if constexpr (std::is_same_v<S, double>)
    return p.epilogue_of_doubles ? &p.epilogue_of_doubles : nullptr;
  else
    return nullptr;
}

// Adds beta * C, calls the epilogue, stores.
template <class S>
void finish(const Product& p, std::vector<S>& sums) {
  const S beta = scalar<S>(p.beta);
  const bool adds = p.beta != DoubleComplex{};
  std::vector<S> old(static_cast<std::size_t>(adds ? p.m : 0));
  for (std::int64_t j = 0; j < p.n; ++j) {
    S* const column = sums.data() + j * p.m;
    if (adds) {
      load(p.c.type, static_cast<const char*>(p.c.data) + j * p.c.ld * static_cast<std::int64_t>(size_of(p.c.type)),
           p.m, old.data());
      for (std::int64_t i = 0; i < p.m; ++i) column[i] += beta * old[static_cast<std::size_t>(i)];
    }
    if (const auto* const change = epilogue_of<S>(p)) (*change)(j, column);
    store(p.d_type, column, p.m, static_cast<char*>(p.d) + j * p.ldd * static_cast<std::int64_t>(size_of(p.d_type)));
  }
}

template <class S>
void multiply_as(const Product& p) {
  const bool has_product = p.k > 0 && p.alpha != DoubleComplex{};
  const auto rows = [](char t, std::int64_t as_is, std::int64_t turned) { return t == 'N' ? as_is : turned; };
  Product own = p;
  if (!has_product) own.k = 0;
  const Operand<S> a(own.a, rows(p.ta, p.m, own.k), rows(p.ta, own.k, p.m), p.rounding);
  const Operand<S> b(own.b, rows(p.tb, own.k, p.n), rows(p.tb, p.n, own.k), p.rounding);
  const S alpha = scalar<S>(p.alpha);
  const bool is_direct = p.d_type == kTypeOf<S> && p.c.type == p.d_type && p.c.data == p.d && p.c.ld == p.ldd;
  if (is_direct && !epilogue_of<S>(p))
    return multiply_all<S>(own, a, b, alpha, scalar<S>(p.beta), static_cast<S*>(p.d), static_cast<int>(p.ldd));
  std::vector<S> sums(static_cast<std::size_t>(p.m * p.n));
  if (has_product) multiply_all<S>(own, a, b, alpha, S{}, sums.data(), static_cast<int>(p.m));
  finish<S>(p, sums);
}

// Sums of int8 are exact: in parts of k whose sums a float holds.
void multiply_integers(const Product& p) {
  constexpr std::int64_t kPart = 1024;
  std::vector<double> sums(static_cast<std::size_t>(p.m * p.n));
  std::vector<float> part(sums.size());
  const auto shifted = [](const Matrix& m, char t, bool is_a, std::int64_t by) {
    Matrix out = m;
    const bool down = is_a == (t == 'N');  // along the leading dimension
    out.data = static_cast<const char*>(m.data) + by * (down ? m.ld : 1) * static_cast<std::int64_t>(size_of(m.type));
    return out;
  };
  for (std::int64_t at = 0; at < p.k; at += kPart) {
    Product own = p;
    own.sum = Sum::f32;
    own.k = std::min(kPart, p.k - at);
    own.alpha = 1;
    own.beta = 0;
    own.a = shifted(p.a, p.ta, true, at);
    own.b = shifted(p.b, p.tb, false, at);
    own.c = {part.data(), Type::f32, p.m};
    own.d = part.data();
    own.d_type = Type::f32;
    own.ldd = p.m;
    own.epilogue = {};
    multiply_as<float>(own);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(part[i]);
  }
  for (auto& sum : sums) sum *= p.alpha.real();
  finish<double>(p, sums);
}

}  // namespace

void multiply(const Product& p) {
  if (p.m <= 0 || p.n <= 0) return;
  switch (p.sum) {
    case Sum::f32:
      return multiply_as<float>(p);
    case Sum::f64:
      return multiply_as<double>(p);
    case Sum::c32:
      return multiply_as<Complex>(p);
    case Sum::c64:
      return multiply_as<DoubleComplex>(p);
    case Sum::i32:
      return multiply_integers(p);
  }
}

}  // namespace nvmlkit::blas
