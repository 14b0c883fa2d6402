// Singular values by the functions with data types as arguments and 64-bit sizes.
#include "generic.hpp"

namespace nvmlkit::library_test {
namespace {

template <class T>
struct GenericSingular : Generic<T> {};
TYPED_TEST_SUITE(GenericSingular, Scalars);

TYPED_TEST(GenericSingular, ByQrIteration) {
  using T = TypeParam;
  using R = Real<T>;
  Random random(45);
  for (int turn = 0; turn < 6; ++turn) {
    const int n = 1 + random.below(12), m = n + random.below(8), ld = m + random.below(3);
    const auto a = rounded<T>(random.matrix<T>(m, n));
    const Stored<T> matrix(a, ld), u(Dense(m, m), ld), vt(Dense(n, n), n);
    const OnDevice<R> s(std::vector<R>(static_cast<std::size_t>(n)));
    const auto info = state();
    std::size_t device = 0, host = 77;
    ASSERT_EQ(library().cusolverDnXgesvd_bufferSize(solver(), this->parameters, 'A', 'A', m, n, this->type,
                                                    matrix.data(), ld, this->kReal, s.as(), this->type, u.data(), ld,
                                                    this->type, vt.data(), n, this->type, &device, &host),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverDnXgesvd(solver(), this->parameters, 'A', 'A', m, n, this->type, matrix.data(), ld,
                                         this->kReal, s.as(), this->type, u.data(), ld, this->type, vt.data(), n,
                                         this->type, nullptr, device, nullptr, host, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    const auto left = u.get();
    EXPECT_LE(distance(left.adjoint() * left, identity(m, m)), tolerance<T>() * 4 * m);
    EXPECT_LE(distance(left * diagonal(s.read(), m, n) * vt.get(), a), tolerance<T>() * 4 * m);
  }
}

// Columns of U and V for the singular values of the matrix.
template <class T>
void check_leading(const Dense& a, const Dense& u, const std::vector<Real<T>>& s, const Dense& v) {
  const int count = static_cast<int>(s.size());
  const double most = tolerance<T>() * 10 * std::max(a.rows, a.columns);
  EXPECT_LE(distance(u.adjoint() * u, identity(count, count)), most);
  EXPECT_LE(distance(v.adjoint() * v, identity(count, count)), most);
  EXPECT_LE(distance(a * v, u * diagonal(s, count, count)), most);
  EXPECT_LE(distance(a.adjoint() * u, v * diagonal(s, count, count)), most);
}

TYPED_TEST(GenericSingular, ByPolarDecomposition) {
  using T = TypeParam;
  Random random(46);
  for (int turn = 0; turn < 12; ++turn) {
    const int m = 1 + random.below(14), n = 1 + random.below(14), least = std::min(m, n), ld = m + random.below(3);
    const bool is_thin = turn % 2, has_vectors = turn % 5 != 0;
    const auto job = has_vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const auto a = rounded<T>(random.matrix<T>(m, n));
    const Stored<T> matrix(a, ld), u(Dense(m, is_thin ? least : m), ld), v(Dense(n, is_thin ? least : n), n + 1);
    const OnDevice<Real<T>> s(std::vector<Real<T>>(static_cast<std::size_t>(least)));
    const auto info = state();
    std::size_t device = 0, host = 77;
    double perturbation = -1;
    ASSERT_EQ(library().cusolverDnXgesvdp_bufferSize(solver(), this->parameters, job, is_thin, m, n, this->type,
                                                     matrix.data(), ld, this->kReal, s.as(), this->type, u.data(), ld,
                                                     this->type, v.data(), n + 1, this->type, &device, &host),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverDnXgesvdp(solver(), this->parameters, job, is_thin, m, n, this->type, matrix.data(), ld,
                                          this->kReal, s.as(), this->type, u.data(), ld, this->type, v.data(), n + 1,
                                          this->type, nullptr, device, nullptr, host, info.as(), &perturbation),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    EXPECT_EQ(perturbation, 0);
    if (!has_vectors) continue;
    const auto left = u.get(), right = v.get();
    EXPECT_LE(distance(left.adjoint() * left, identity(left.columns, left.columns)), tolerance<T>() * 10 * m);
    EXPECT_LE(distance(left * diagonal(s.read(), left.columns, right.columns) * right.adjoint(), a),
              tolerance<T>() * 10 * std::max(m, n));
  }
}

TYPED_TEST(GenericSingular, TheFirstOnes) {
  using T = TypeParam;
  Random random(47);
  for (int turn = 0; turn < 8; ++turn) {
    const int m = 2 + random.below(14), n = 2 + random.below(14), least = std::min(m, n), ld = m + random.below(3);
    const int rank = 1 + random.below(least), more = random.below(least - rank + 1);
    const auto a = rounded<T>(random.matrix<T>(m, n));
    const Stored<T> matrix(a, ld), u(Dense(m, rank), ld), v(Dense(n, rank), n);
    const OnDevice<Real<T>> s(std::vector<Real<T>>(static_cast<std::size_t>(rank)));
    const auto info = state();
    std::size_t device = 0, host = 77;
    const auto size = [&](int of_rank, int oversampling) {
      return library().cusolverDnXgesvdr_bufferSize(solver(), this->parameters, 'S', 'S', m, n, of_rank, oversampling,
                                                    2, this->type, matrix.data(), ld, this->kReal, s.as(), this->type,
                                                    u.data(), ld, this->type, v.data(), n, this->type, &device, &host);
    };
    EXPECT_EQ(size(least + 1, 0), CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT_EQ(size(rank, least - rank + 1), CUSOLVER_STATUS_INVALID_VALUE);
    ASSERT_EQ(size(rank, more), CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverDnXgesvdr(solver(), this->parameters, 'S', 'S', m, n, rank, more, 2, this->type,
                                          matrix.data(), ld, this->kReal, s.as(), this->type, u.data(), ld, this->type,
                                          v.data(), n, this->type, nullptr, device, nullptr, host, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    check_leading<T>(a, u.get(), s.read(), v.get());
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
