// Matrices that end where their memory ends: the results are those of the same matrices elsewhere.
#include "memory_end.hpp"

#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

NVMLKIT_SOLVER(decompose, gesvd, gesvd)
NVMLKIT_SOLVER(to_bidiagonal, gebrd, gebrd)
NVMLKIT_SOLVER(to_tridiagonal, sytrd, hetrd)
NVMLKIT_SOLVER(inverse_of_factor, potri, potri)
NVMLKIT_SOLVER(product_of_factor, lauum, lauum)

template <class T>
class MatrixEnd : public testing::Test {
 protected:
  // f(matrix, n) on a matrix of n columns of n + 2 numbers, at the end of its memory and not.
  template <class Function>
  void same_at_the_end(Function f) {
    for (const int n : {1, 2, 3, 5, 16, 33, 70}) {
      const auto random = Random(static_cast<unsigned>(n)).template matrix<T>(n, n);
      std::vector<T> a;
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) a.push_back(scalar_of<T>(random(i, j) + (i == j ? Number(2.0 * n) : Number())));
        if (j + 1 < n) a.insert(a.end(), 2, T{});
      }
      const AtMemoryEnd<T> at_end(a), elsewhere(a, 1);
      info_ = 0;
      f(elsewhere.data(), n);
      EXPECT_EQ(gpu().wait(), cuda::CUDA_SUCCESS);
      f(at_end.data(), n);
      EXPECT_EQ(at_end.read(), elsewhere.read()) << n;
      EXPECT_EQ(read(state_), info_);
    }
  }

  static constexpr int kMost = 128;
  const OnDevice<T> first_{std::vector<T>(kMost)}, second_{std::vector<T>(kMost)}, work_{std::vector<T>(kMost * kMost)};
  const OnDevice<T> vectors_{std::vector<T>(kMost * kMost)};
  const OnDevice<Real<T>> values_{std::vector<Real<T>>(kMost)}, others_{std::vector<Real<T>>(kMost)};
  const OnDevice<int> state_ = state();
  int info_ = 0;
};
TYPED_TEST_SUITE(MatrixEnd, Scalars);

TYPED_TEST(MatrixEnd, SingularValues) {
  using T = TypeParam;
  for (const auto& [u, vt] : {std::pair('A', 'O'), std::pair('O', 'S'), std::pair('N', 'N')})
    this->same_at_the_end([&, left = static_cast<signed char>(u), right = static_cast<signed char>(vt)](T* a, int n) {
      EXPECT_EQ(decompose<T>()(solver(), left, right, n, n, a, n + 2, this->values_.as(), this->vectors_.as(), n,
                               this->work_.as(), n, this->first_.as(), 1, this->others_.as(), this->state_.as()),
                CUSOLVER_STATUS_SUCCESS);
    });
}
TYPED_TEST(MatrixEnd, Bidiagonal) {
  using T = TypeParam;
  this->same_at_the_end([&](T* a, int n) {
    EXPECT_EQ(to_bidiagonal<T>()(solver(), n, n, a, n + 2, this->values_.as(), this->others_.as(), this->first_.as(),
                                 this->second_.as(), this->work_.as(), this->kMost, this->state_.as()),
              CUSOLVER_STATUS_SUCCESS);
  });
}
TYPED_TEST(MatrixEnd, Tridiagonal) {
  using T = TypeParam;
  for (const bool is_lower : {false, true})
    this->same_at_the_end([&](T* a, int n) {
      EXPECT_EQ(to_tridiagonal<T>()(solver(), fill_of(is_lower), n, a, n + 2, this->values_.as(), this->others_.as(),
                                    this->first_.as(), this->work_.as(), this->kMost, this->state_.as()),
                CUSOLVER_STATUS_SUCCESS);
    });
}
TYPED_TEST(MatrixEnd, ProductsOfTriangles) {
  using T = TypeParam;
  for (const auto& f : {inverse_of_factor<T>(), product_of_factor<T>()})
    for (const bool is_lower : {false, true})
      this->same_at_the_end([&](T* a, int n) {
        EXPECT_EQ(f(solver(), fill_of(is_lower), n, a, n + 2, this->work_.as(), this->kMost, this->state_.as()),
                  CUSOLVER_STATUS_SUCCESS);
      });
}

}  // namespace
}  // namespace nvmlkit::library_test
