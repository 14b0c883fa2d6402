// Batches of random sizes and counts, in each type: products with vectors by their definition, factors by what they
// solve.
#include "stored.hpp"

namespace nvmlkit::library_test {
namespace {

NVMLKIT_BLAS(gemv_batched, SgemvBatched, DgemvBatched, CgemvBatched, ZgemvBatched)
NVMLKIT_BLAS(gemv_strided, SgemvStridedBatched, DgemvStridedBatched, CgemvStridedBatched, ZgemvStridedBatched)
NVMLKIT_BLAS(getrf, SgetrfBatched, DgetrfBatched, CgetrfBatched, ZgetrfBatched)
NVMLKIT_BLAS(getrs, SgetrsBatched, DgetrsBatched, CgetrsBatched, ZgetrsBatched)
NVMLKIT_BLAS(getri, SgetriBatched, DgetriBatched, CgetriBatched, ZgetriBatched)
NVMLKIT_BLAS(matinv, SmatinvBatched, DmatinvBatched, CmatinvBatched, ZmatinvBatched)

// Parts of the same size behind each other, and their addresses.
template <class T>
struct Parts {
  std::size_t size;
  OnDevice<T> memory;
  OnDevice<T*> places;

  Parts(const std::vector<DoubleComplex>& all, std::size_t count)
      : size(all.size() / count), memory(narrow<T>(all)), places(places_in(memory.data(), size, count)) {}
  static std::vector<T*> places_in(T* first, std::size_t size, std::size_t count) {
    std::vector<T*> out;
    for (std::size_t q = 0; q < count; ++q) out.push_back(first + q * size);
    return out;
  }
  // Arguments of functions that only read them.
  const T* const* read() const { return places.data(); }
};

template <class T>
struct Batches : CublasTest {
  static constexpr int kTurns = 20;
  std::vector<DoubleComplex> numbers(std::int64_t count) {
    std::vector<DoubleComplex> out(static_cast<std::size_t>(count));
    for (auto& v : out) v = {random.number(), kIsComplex<T> ? random.number() : 0};
    return out;
  }
};
TYPED_TEST_SUITE(Batches, Scalars);

TYPED_TEST(Batches, MatricesTimesVectors) {
  using T = TypeParam;
  for (int turn = 0; turn < this->kTurns; ++turn) {
    const auto count = 1 + this->random.below(5), m = 1 + this->random.below(20), n = 1 + this->random.below(20);
    const auto t = static_cast<cublasOperation_t>(this->random.below(3));
    std::vector<General> matrices;
    std::vector<Steps> xs, ys;
    std::vector<DoubleComplex> all_a, all_x, all_y, wanted;
    const T alpha = number_of<T>(this->random), beta = turn % 3 == 0 ? T{} : number_of<T>(this->random);
    for (std::int64_t q = 0; q < count; ++q) {
      General a(this->random, t, m, n, kIsComplex<T>);
      Steps x(this->random, n, kIsComplex<T>), y(this->random, m, kIsComplex<T>);
      if (q > 0) {  // numbers of its own, the shape of the first
        a.ld = matrices[0].ld, x.step = xs[0].step, y.step = ys[0].step;
        a.memory = this->numbers(std::int64_t(matrices[0].memory.size()));
        x.memory = this->numbers(std::int64_t(xs[0].memory.size()));
        y.memory = this->numbers(std::int64_t(ys[0].memory.size()));
      }
      auto result = y.memory;
      for (std::int64_t i = 0; i < m; ++i) {
        DoubleComplex sum;
        for (std::int64_t j = 0; j < n; ++j) sum += a(i, j) * x[j];
        result[y.at(i)] = wide(alpha) * sum + wide(beta) * y[i];
      }
      wanted.insert(wanted.end(), result.begin(), result.end());
      all_a.insert(all_a.end(), a.memory.begin(), a.memory.end());
      all_x.insert(all_x.end(), x.memory.begin(), x.memory.end());
      all_y.insert(all_y.end(), y.memory.begin(), y.memory.end());
      matrices.push_back(a), xs.push_back(x), ys.push_back(y);
    }
    const auto parts = static_cast<std::size_t>(count);
    const Parts<T> a(all_a, parts), x(all_x, parts), y(all_y, parts), second(all_y, parts);
    const auto& shape = matrices[0];
    const int incx = int(xs[0].step), incy = int(ys[0].step);
    ASSERT_EQ(gemv_batched<T>()(this->handle, t, int(shape.rows), int(shape.columns), &alpha, a.read(), int(shape.ld),
                                x.read(), incx, &beta, y.places.data(), incy, int(count)),
              CUBLAS_STATUS_SUCCESS);
    expect_near(y.memory.get(), wanted, kTolerance<T>, turn);
    ASSERT_EQ(
        gemv_strided<T>()(this->handle, t, int(shape.rows), int(shape.columns), &alpha, a.memory.data(), int(shape.ld),
                          static_cast<long long>(a.size), x.memory.data(), incx, static_cast<long long>(x.size), &beta,
                          second.memory.data(), incy, static_cast<long long>(second.size), int(count)),
        CUBLAS_STATUS_SUCCESS);
    expect_near(second.memory.get(), wanted, kTolerance<T>, turn);
  }
}

TYPED_TEST(Batches, FactorsSolve) {
  using T = TypeParam;
  for (int turn = 0; turn < this->kTurns; ++turn) {
    const auto count = 1 + this->random.below(4), n = 1 + this->random.below(16), columns = 1 + this->random.below(3);
    const auto lda = n + this->random.below(3), ldb = n + this->random.below(3);
    const auto t = static_cast<cublasOperation_t>(this->random.below(3));
    auto all = this->numbers(lda * n * count);
    const auto right = this->numbers(ldb * columns * count);
    for (std::int64_t q = 0; q < count; ++q)  // the largest number of a row is not on the diagonal
      for (std::int64_t i = 0; i < n; ++i) all[static_cast<std::size_t>(q * lda * n + i + (i + 1) % n * lda)] += 5.0;
    const auto parts = static_cast<std::size_t>(count);
    const Parts<T> a(all, parts), b(right, parts), inverse(all, parts), of_matinv(all, parts), original(all, parts);
    const OnDevice<int> pivots(std::vector<int>(static_cast<std::size_t>(n * count))),
        states(std::vector<int>(parts, -7));
    int info = -7;
    ASSERT_EQ(matinv<T>()(this->handle, int(n), original.read(), int(lda), of_matinv.places.data(), int(lda),
                          states.data(), int(count)),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(states.get(), std::vector<int>(parts, 0));
    ASSERT_EQ(getrf<T>()(this->handle, int(n), a.places.data(), int(lda), pivots.data(), states.data(), int(count)),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(states.get(), std::vector<int>(parts, 0));
    ASSERT_EQ(getrs<T>()(this->handle, t, int(n), int(columns), a.read(), int(lda), pivots.data(), b.places.data(),
                         int(ldb), &info, int(count)),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(info, 0);
    ASSERT_EQ(getri<T>()(this->handle, int(n), a.read(), int(lda), pivots.data(), inverse.places.data(), int(lda),
                         states.data(), int(count)),
              CUBLAS_STATUS_SUCCESS);
    const auto x = b.memory.get(), first = inverse.memory.get(), second = of_matinv.memory.get();
    const auto element = [&](std::int64_t q, std::int64_t i, std::int64_t j) {
      const auto v = all[static_cast<std::size_t>(q * lda * n + (t == CUBLAS_OP_N ? i + j * lda : j + i * lda))];
      return t == CUBLAS_OP_C ? std::conj(v) : v;
    };
    for (std::int64_t q = 0; q < count; ++q)
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t c = 0; c < columns; ++c) {
          DoubleComplex sum = -right[static_cast<std::size_t>((q * columns + c) * ldb + i)];
          for (std::int64_t l = 0; l < n; ++l)
            sum += element(q, i, l) * wide(x[static_cast<std::size_t>((q * columns + c) * ldb + l)]);
          ASSERT_LE(std::abs(sum), 100 * kTolerance<T>) << "turn " << turn;
        }
        for (std::int64_t c = 0; c < n; ++c)
          for (const auto* const of : {&first, &second}) {
            DoubleComplex sum = i == c ? -1 : 0;
            for (std::int64_t l = 0; l < n; ++l)
              sum += all[static_cast<std::size_t>((q * n + l) * lda + i)] *
                     wide((*of)[static_cast<std::size_t>((q * n + c) * lda + l)]);
            ASSERT_LE(std::abs(sum), 100 * kTolerance<T>) << "turn " << turn;
          }
      }
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
