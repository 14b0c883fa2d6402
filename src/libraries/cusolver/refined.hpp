// Systems of equations by LU factors of a lower precision, refined until the solution is one of the main precision;
// else by factors of the main precision. In memory of the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "libraries/blas/convert.hpp"
#include "libraries/blas/lapack.hpp"
#include "libraries/cusolver/types.hpp"

namespace nvmlkit::cusolver {

// What a matrix is rounded to before it is factored.
enum class Lower { none, f32, tf32, f16, bf16 };

struct Refinement {
  Lower lower = Lower::none;
  int most = 50;         // steps
  double tolerance = 0;  // of the backward error; 0: what the main precision has
  bool falls_back = true;
};

// Steps as the documentation numbers them: below 0, the factors of the main precision were needed.
struct Refined {
  int steps = 0, info = 0;
};

template <class T>
using Narrow = std::conditional_t<blas::is_complex(blas::kTypeOf<T>), Complex, float>;

// Rounded, in the type that is computed with.
template <class T>
void round_to(Lower lower, std::vector<Narrow<T>>& numbers) {
  constexpr bool kIsComplex = blas::is_complex(blas::kTypeOf<T>);
  const auto count = static_cast<std::int64_t>(numbers.size());
  if (lower == Lower::tf32) {
    const auto from = numbers;
    blas::load(kIsComplex ? blas::Type::c32 : blas::Type::f32, from.data(), count, numbers.data(),
               blas::Rounding::tf32);
  } else if (lower == Lower::f16 || lower == Lower::bf16) {
    const auto type = lower == Lower::f16 ? (kIsComplex ? blas::Type::c16 : blas::Type::f16)
                                          : (kIsComplex ? blas::Type::cbf16 : blas::Type::bf16);
    std::vector<char> stored(numbers.size() * blas::size_of(type));
    blas::store(type, numbers.data(), count, stored.data());
    blas::load(type, stored.data(), count, numbers.data());
  }
}

// A square matrix A and right sides B, as LAPACK has them; the solutions go to X.
template <class T>
struct RefinedSystem {
  int n, columns;
  T* a;
  int lda;
  const T* b;
  int ldb;
  T* x;
  int ldx;
  std::vector<int> pivots{};
  std::vector<double>* norms = nullptr;  // of the residual, after the first solution and after each step

  template <class Number>
  static double largest(const Number* from, int count) {
    double out = 0;
    for (int i = 0; i < count; ++i) {
      const double size = std::abs(from[i]);
      if (!(size <= out) && !std::isnan(out)) out = size;  // what is no number stays
    }
    return out;
  }
  double norm() const {  // the largest sum of a row
    std::vector<double> sums(static_cast<std::size_t>(n));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) sums[static_cast<std::size_t>(i)] += std::abs(a[i + std::int64_t{j} * lda]);
    return largest(sums.data(), n);
  }
  // B - A X, without gaps.
  std::vector<T> residual() const {
    std::vector<T> out(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns));
    for (int j = 0; j < columns; ++j) std::copy_n(b + std::int64_t{j} * ldb, n, out.data() + std::int64_t{j} * n);
    if (n > 0) blas::gemm<T>('N', 'N', n, columns, n, T(-1), a, lda, x, ldx, T(1), out.data(), n);
    return out;
  }
  void keep_norm(const std::vector<T>& rest) const {
    if (norms) norms->push_back(largest(rest.data(), static_cast<int>(rest.size())));
  }
  bool is_solved(const std::vector<T>& rest, double limit) const {
    for (int j = 0; j < columns; ++j)
      if (!(largest(rest.data() + std::int64_t{j} * n, n) <= limit * largest(x + std::int64_t{j} * ldx, n)))
        return false;
    return true;
  }

  // By factors of the main precision, which take the place of A.
  int solve() {
    pivots.assign(static_cast<std::size_t>(n), 0);
    const int info = n > 0 ? blas::getrf<T>(n, n, a, lda, pivots.data()) : 0;
    if (info != 0) return info;
    for (int j = 0; j < columns; ++j) std::copy_n(b + std::int64_t{j} * ldb, n, x + std::int64_t{j} * ldx);
    return n > 0 ? blas::getrs<T>('N', n, columns, a, lda, pivots.data(), x, ldx) : 0;
  }
  // The factors take the place of the matrix, which the residual needs.
  int solve_and_keep_norm() {
    if (!norms) return solve();
    std::vector<T> whole(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (int j = 0; j < n; ++j) std::copy_n(a + std::int64_t{j} * lda, n, whole.data() + std::int64_t{j} * n);
    const int info = solve();
    auto before = *this;
    before.a = whole.data(), before.lda = n;
    if (info == 0) before.keep_norm(before.residual());
    return info;
  }
  // The number of steps; below 0: why there is no solution.
  int refine(const Refinement& how) {
    using Low = Narrow<T>;
    std::vector<Low> factors(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        factors[static_cast<std::size_t>(i + std::int64_t{j} * n)] = Low(a[i + std::int64_t{j} * lda]);
    round_to<T>(how.lower, factors);
    if (!std::isfinite(largest(factors.data(), static_cast<int>(std::min<std::size_t>(factors.size(), 1u << 30)))))
      return -2;
    pivots.assign(static_cast<std::size_t>(n), 0);
    if (blas::getrf<Low>(n, n, factors.data(), n, pivots.data()) != 0) return -3;
    const double unit = std::numeric_limits<Real<T>>::epsilon() / 2;
    const double limit =
        (how.tolerance > 0 ? how.tolerance : unit * std::max(2.0, std::sqrt(static_cast<double>(n)))) * norm();
    for (int j = 0; j < columns; ++j) std::fill_n(x + std::int64_t{j} * ldx, n, T{});
    auto rest = residual();
    for (int step = 0; step <= how.most; ++step) {
      std::vector<Low> change(rest.begin(), rest.end());
      blas::getrs<Low>('N', n, columns, factors.data(), n, pivots.data(), change.data(), n);
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < n; ++i)
          x[i + std::int64_t{j} * ldx] += T(change[static_cast<std::size_t>(i + std::int64_t{j} * n)]);
      rest = residual();
      keep_norm(rest);
      if (is_solved(rest, limit)) return step;
      if (!std::isfinite(largest(rest.data(), n * columns))) return -5;
    }
    return -how.most;
  }
  Refined solve(const Refinement& how) {
    if (how.lower == Lower::none || n == 0) return {0, solve_and_keep_norm()};
    const int steps = refine(how);
    return {steps, steps < 0 && how.falls_back ? solve() : 0};
  }
};

}  // namespace nvmlkit::cusolver
