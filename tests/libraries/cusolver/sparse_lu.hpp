// Sparse matrices of a test, and their factors by cusolverSpDcsrlu*Host.
#pragma once

#include "sparse.hpp"

namespace nvmlkit::library_test {

inline std::size_t place(int i) { return static_cast<std::size_t>(i); }

// CSR of a dense matrix, or CSC where it is turned.
struct Arrays {
  std::vector<int> offsets{0}, indices;
  std::vector<double> values;

  Arrays() = default;
  explicit Arrays(const Dense& a, bool by_columns = false) {
    for (int i = 0; i < a.rows; ++i) {
      for (int j = 0; j < a.columns; ++j) {
        const Number x = by_columns ? a(j, i) : a(i, j);
        if (x == Number(0)) continue;
        indices.push_back(j);
        values.push_back(x.real());
      }
      offsets.push_back(count());
    }
  }
  int count() const { return static_cast<int>(indices.size()); }
  Dense dense() const {
    const int n = static_cast<int>(offsets.size()) - 1;
    Dense out(n, n);
    for (int i = 0; i < n; ++i)
      for (int k = offsets[place(i)]; k < offsets[place(i) + 1]; ++k) out(i, indices[place(k)]) = values[place(k)];
    return out;
  }
};

inline Dense sparse_matrix(Random& random, int n, bool needs_pivots) {
  auto a = random.matrix<double>(n, n).only([&](int, int) { return random.below(100) < 15; });
  for (int i = 0; i < n; ++i) a(i, needs_pivots ? (i + 1) % n : i) += 5;
  return a;
}
// The same pattern, other numbers.
inline Dense changed(Random& random, const Dense& a) {
  Dense out = a;
  for (auto& x : out.numbers) x *= 1 + 0.02 * random.below(10);
  return out;
}

struct Lu {
  std::vector<int> p, q;
  Arrays lower, upper;

  explicit Lu(const Dense& a) : p(place(a.rows)), q(place(a.rows)) {
    const int n = a.rows;
    const Arrays arrays(a);
    LuInfo* info = nullptr;
    std::size_t own = 0, work = 0;
    EXPECT_EQ(library().cusolverSpCreateCsrluInfoHost(&info), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(library().cusolverSpXcsrluAnalysisHost(handle(), n, arrays.count(), options_of(0), arrays.offsets.data(),
                                                     arrays.indices.data(), info),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(library().cusolverSpDcsrluBufferInfoHost(handle(), n, arrays.count(), options_of(0), arrays.values.data(),
                                                       arrays.offsets.data(), arrays.indices.data(), info, &own, &work),
              CUSOLVER_STATUS_SUCCESS);
    std::vector<char> buffer(work);
    int position = 7, lower_count = 0, upper_count = 0;
    EXPECT_EQ(library().cusolverSpDcsrluSolveHost(handle(), n, nullptr, nullptr, info, buffer.data()),
              CUSOLVER_STATUS_INVALID_VALUE);  // no factors yet
    EXPECT_EQ(
        library().cusolverSpDcsrluFactorHost(handle(), n, arrays.count(), options_of(0), arrays.values.data(),
                                             arrays.offsets.data(), arrays.indices.data(), info, 1.0, buffer.data()),
        CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(library().cusolverSpDcsrluZeroPivotHost(handle(), info, 1e-12, &position), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(position, -1);
    const std::vector<double> b(place(n), 1);
    std::vector<double> x(place(n));
    EXPECT_EQ(library().cusolverSpDcsrluSolveHost(handle(), n, b.data(), x.data(), info, buffer.data()),
              CUSOLVER_STATUS_SUCCESS);
    Dense solution(n, 1), ones(n, 1);
    for (int i = 0; i < n; ++i) solution(i, 0) = x[place(i)], ones(i, 0) = 1;
    EXPECT_LE(distance(a * solution, ones), 1e-10);
    EXPECT_EQ(library().cusolverSpXcsrluNnzHost(handle(), &lower_count, &upper_count, info), CUSOLVER_STATUS_SUCCESS);
    for (auto [side, count] : {std::pair(&lower, lower_count), std::pair(&upper, upper_count)}) {
      side->offsets.resize(place(n) + 1);
      side->indices.resize(place(count));
      side->values.resize(place(count));
    }
    EXPECT_EQ(library().cusolverSpDcsrluExtractHost(handle(), p.data(), q.data(), options_of(0), lower.values.data(),
                                                    lower.offsets.data(), lower.indices.data(), options_of(0),
                                                    upper.values.data(), upper.offsets.data(), upper.indices.data(),
                                                    info, buffer.data()),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(library().cusolverSpDestroyCsrluInfoHost(info), CUSOLVER_STATUS_SUCCESS);
  }
  Dense turned(const Dense& a) const {
    Dense out(a.rows, a.rows);
    for (int i = 0; i < a.rows; ++i)
      for (int j = 0; j < a.rows; ++j) out(i, j) = a(p[place(i)], q[place(j)]);
    return out;
  }
};

}  // namespace nvmlkit::library_test
