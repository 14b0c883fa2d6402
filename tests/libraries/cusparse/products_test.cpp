// SpMV, SpMM, SDDMM, SpGEMM, SpSV, SpSM: random matrices of all formats against dense arithmetic.
#include "formats.hpp"

namespace nvmlkit::library_test {
namespace {

template <class T>
struct Products : testing::Test {};
using Types = testing::Types<float, double, Complex, DoubleComplex, blas::Half, blas::Bfloat16>;
TYPED_TEST_SUITE(Products, Types);

template <class T>
struct Solves : testing::Test {};
using Scalars = testing::Types<float, double, Complex, DoubleComplex>;
TYPED_TEST_SUITE(Solves, Scalars);

Numbers scaled(Number by, Numbers a) {
  for (Number& x : a.numbers) x *= by;
  return a;
}
template <class T>
Number random_scalar(Random& random) {
  return random.below(4) ? wide(number_as<T>({random.number(), kIsReal<T> ? 0 : random.number()})) : Number();
}
int six(Random& random) { return 6 * random.below(5); }

TYPED_TEST(Products, MatrixVector) {
  using T = TypeParam;
  using C = ComputeOf<T>;
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const auto a = sparse_numbers<T>(random, six(random), six(random));
    const auto op = random_operation<T>(random);
    const auto left = applied(op, a);
    const auto x = dense_numbers<T>(random, left.columns, 1), y = dense_numbers<T>(random, left.rows, 1);
    const Number alpha = random_scalar<C>(random), beta = random_scalar<C>(random);
    const C by = number_as<C>(alpha), keep = number_as<C>(beta);
    const OnDeviceSparse<T> matrix(a, random_form(random));
    const OnDeviceVector<T> from(x), to(y);
    std::size_t size = 0;
    EXPECT_EQ(library().cusparseSpMV_bufferSize(sparse(), op, &by, matrix.matrix, from.vector, &keep, to.vector,
                                                kType<C>, CUSPARSE_SPMV_ALG_DEFAULT, &size),
              kFine);
    ASSERT_EQ(library().cusparseSpMV(sparse(), op, &by, matrix.matrix, from.vector, &keep, to.vector, kType<C>,
                                     CUSPARSE_SPMV_ALG_DEFAULT, nullptr),
              kFine);
    EXPECT_LE(distance(to.get(), scaled(alpha, left * x) + scaled(beta, y)), kTolerance<T> * 4) << "round " << round;
  }
}

TYPED_TEST(Products, MatrixMatrix) {
  using T = TypeParam;
  using C = ComputeOf<T>;
  Random random(2);
  for (int round = 0; round < 60; ++round) {
    const auto a = sparse_numbers<T>(random, six(random), six(random));
    const auto op_a = random_operation<T>(random), op_b = random_operation<T>(random);
    const auto left = applied(op_a, a);
    const auto right = dense_numbers<T>(random, left.columns, random.below(9));
    const auto c = dense_numbers<T>(random, left.rows, right.columns);
    const Number alpha = random_scalar<C>(random), beta = random_scalar<C>(random);
    const C by = number_as<C>(alpha), keep = number_as<C>(beta);
    const OnDeviceSparse<T> matrix(a, random_form(random));
    const OnDeviceDense<T> from(applied(op_b, right), random_order(random), random.below(3)),
        to(c, random_order(random), random.below(3));
    ASSERT_EQ(library().cusparseSpMM(sparse(), op_a, op_b, &by, matrix.matrix, from.matrix, &keep, to.matrix, kType<C>,
                                     CUSPARSE_SPMM_ALG_DEFAULT, nullptr),
              kFine);
    EXPECT_LE(distance(to.get(), scaled(alpha, left * right) + scaled(beta, c)), kTolerance<T> * 4) << round;
  }
}

TYPED_TEST(Products, AtTheEntriesOfAMatrix) {
  using T = TypeParam;
  using C = ComputeOf<T>;
  Random random(3);
  for (int round = 0; round < 40; ++round) {
    const auto c = sparse_numbers<T>(random, six(random), six(random));
    const auto op_a = random_operation<T>(random), op_b = random_operation<T>(random);
    const int middle = random.below(12);
    const auto a = dense_numbers<T>(random, c.rows, middle), b = dense_numbers<T>(random, middle, c.columns);
    const Number alpha = random_scalar<C>(random), beta = random_scalar<C>(random);
    const C by = number_as<C>(alpha), keep = number_as<C>(beta);
    const auto form = random_form(random);
    const OnDeviceSparse<T> out(c, form);
    const OnDeviceDense<T> left(applied(op_a, a), random_order(random), 1),
        right(applied(op_b, b), random_order(random), 0);
    ASSERT_EQ(library().cusparseSDDMM(sparse(), op_a, op_b, &by, left.matrix, right.matrix, &keep, out.matrix, kType<C>,
                                      CUSPARSE_SDDMM_ALG_DEFAULT, nullptr),
              kFine);
    const auto want = stored_values(c, scaled(alpha, a * b) + scaled(beta, c), form), got = out.get_values();
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t k = 0; k < got.size(); ++k) EXPECT_LE(std::abs(got[k] - want[k]), kTolerance<T> * 4);
  }
}

TYPED_TEST(Products, OfBatches) {
  using T = TypeParam;
  using C = ComputeOf<T>;
  Random random(4);
  const Form form;
  const auto a = sparse_numbers<T>(random, 12, 6);
  const OnDeviceSparse<T> matrix(a, form);
  constexpr int kBatches = 3;
  std::vector<Numbers> right;
  std::vector<T> from, to(12 * 5 * kBatches);
  for (int k = 0; k < kBatches; ++k) {
    right.push_back(dense_numbers<T>(random, 6, 5));
    const auto numbers = all_as<T>(right.back().numbers);
    from.insert(from.end(), numbers.begin(), numbers.end());
  }
  const OnDevice<T> in(from), out(to);
  DenseMatrix *b = nullptr, *c = nullptr;
  ASSERT_EQ(library().cusparseCreateDnMat(&b, 6, 5, 6, in.as(), kType<T>, CUSPARSE_ORDER_COL), kFine);
  ASSERT_EQ(library().cusparseCreateDnMat(&c, 12, 5, 12, out.as(), kType<T>, CUSPARSE_ORDER_COL), kFine);
  ASSERT_EQ(library().cusparseDnMatSetStridedBatch(b, kBatches, 30), kFine);
  ASSERT_EQ(library().cusparseDnMatSetStridedBatch(c, kBatches, 60), kFine);
  const C one = number_as<C>(1), none{};
  ASSERT_EQ(library().cusparseSpMM(sparse(), kNone, kNone, &one, matrix.matrix, b, &none, c, kType<C>,
                                   CUSPARSE_SPMM_ALG_DEFAULT, nullptr),
            kFine);
  const auto got = out.read();
  for (int k = 0; k < kBatches; ++k) {
    const auto want = a * right[static_cast<std::size_t>(k)];
    for (std::size_t i = 0; i < want.numbers.size(); ++i)
      EXPECT_LE(std::abs(wide(got[static_cast<std::size_t>(k) * 60 + i]) - want.numbers[i]), kTolerance<T> * 2);
  }
  EXPECT_EQ(library().cusparseDestroyDnMat(b), kFine);
  EXPECT_EQ(library().cusparseDestroyDnMat(c), kFine);
}

TYPED_TEST(Solves, SparseTimesSparse) {
  using T = TypeParam;
  Random random(5);
  for (int round = 0; round < 30; ++round) {
    const auto a = sparse_numbers<T>(random, six(random), six(random));
    const auto b = sparse_numbers<T>(random, a.columns, six(random));
    const Number alpha = random_scalar<T>(random);
    const T by = number_as<T>(alpha), none{};
    auto form = random_form(random);
    const OnDeviceSparse<T> left(a, form), right(b, random_form(random));
    form.format = CUSPARSE_FORMAT_CSR;
    SparseMatrix* c = nullptr;
    const auto base = static_cast<cusparseIndexBase_t>(form.base);
    ASSERT_EQ(library().cusparseCreateCsr(&c, a.rows, b.columns, 0, nullptr, nullptr, nullptr, form.index_type,
                                          form.index_type, base, kType<T>),
              kFine);
    SparseProduct* product = nullptr;
    ASSERT_EQ(library().cusparseSpGEMM_createDescr(&product), kFine);
    const OnDevice<char> buffer(std::vector<char>(64));
    std::size_t size = 0;
    const auto step = [&](auto function, void* memory) {
      return function(sparse(), kNone, kNone, &by, left.matrix, right.matrix, &none, c, kType<T>,
                      CUSPARSE_SPGEMM_DEFAULT, product, &size, memory);
    };
    for (void* const memory : {static_cast<void*>(nullptr), static_cast<void*>(buffer.as())}) {
      ASSERT_EQ(step(library().cusparseSpGEMM_workEstimation, memory), kFine);
      EXPECT_GT(size, 0u);
    }
    for (void* const memory : {static_cast<void*>(nullptr), static_cast<void*>(buffer.as())})
      ASSERT_EQ(step(library().cusparseSpGEMM_compute, memory), kFine);
    Size rows = 0, columns = 0, count = 0;
    ASSERT_EQ(library().cusparseSpMatGetSize(c, &rows, &columns, &count), kFine);
    const auto bytes = static_cast<std::size_t>(form.index_type == CUSPARSE_INDEX_64I ? 8 : 4);
    const OnDevice<char> offsets(std::vector<char>(bytes * static_cast<std::size_t>(a.rows + 1))),
        indices(std::vector<char>(bytes * static_cast<std::size_t>(count + 1)));
    const OnDevice<T> values(std::vector<T>(static_cast<std::size_t>(count + 1)));
    ASSERT_EQ(library().cusparseCsrSetPointers(c, offsets.as(), indices.as(), values.as()), kFine);
    ASSERT_EQ(library().cusparseSpGEMM_copy(sparse(), kNone, kNone, &by, left.matrix, right.matrix, &none, c, kType<T>,
                                            CUSPARSE_SPGEMM_DEFAULT, product),
              kFine);
    const OnDeviceDense<T> dense(Numbers(a.rows, b.columns), CUSPARSE_ORDER_ROW, 0);
    ASSERT_EQ(library().cusparseSparseToDense(sparse(), c, dense.matrix, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr),
              kFine);
    const auto want = scaled(alpha, a * b);
    EXPECT_LE(distance(dense.get(), want), kTolerance<T>);
    if (alpha != Number()) {
      EXPECT_LE(std::count_if(want.numbers.begin(), want.numbers.end(), [](Number x) { return x != Number(); }), count);
    }
    EXPECT_EQ(library().cusparseSpGEMM_destroyDescr(product), kFine);
    EXPECT_EQ(library().cusparseDestroySpMat(c), kFine);
  }
}

TYPED_TEST(Solves, Triangles) {
  using T = TypeParam;
  Random random(6);
  for (int round = 0; round < 60; ++round) {
    const int n = 6 * (1 + random.below(4));
    auto a = sparse_numbers<T>(random, n, n);
    for (int i = 0; i < n; ++i) a(i, i) = 4 + random.number();
    a = a.only([](int, int) { return true; });
    for (Number& x : a.numbers) x = wide(number_as<T>(x));
    const bool is_lower = random.below(2), is_unit = random.below(2);
    auto triangle = is_lower ? a.lower() : a.upper();
    if (is_unit)
      for (int i = 0; i < n; ++i) triangle(i, i) = 1;
    const auto op_a = random_operation<T>(random), op_b = random_operation<T>(random);
    const auto b = dense_numbers<T>(random, n, 1 + random.below(4));
    const Number alpha = 1 + random.below(2);
    const T by = number_as<T>(alpha);
    const OnDeviceSparse<T> matrix(a, random_form(random));
    auto fill = is_lower ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
    auto diagonal = is_unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    ASSERT_EQ(library().cusparseSpMatSetAttribute(matrix.matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill), kFine);
    ASSERT_EQ(library().cusparseSpMatSetAttribute(matrix.matrix, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal),
              kFine);
    const OnDeviceDense<T> from(applied(op_b, b), random_order(random), 1), to(b, random_order(random), 2);
    Solver* solver = nullptr;
    ASSERT_EQ(library().cusparseSpSM_createDescr(&solver), kFine);
    ASSERT_EQ(library().cusparseSpSM_analysis(sparse(), op_a, op_b, &by, matrix.matrix, from.matrix, to.matrix,
                                              kType<T>, CUSPARSE_SPSM_ALG_DEFAULT, solver, nullptr),
              kFine);
    ASSERT_EQ(library().cusparseSpSM_solve(sparse(), op_a, op_b, &by, matrix.matrix, from.matrix, to.matrix, kType<T>,
                                           CUSPARSE_SPSM_ALG_DEFAULT, solver),
              kFine);
    const auto x = to.get();
    EXPECT_LE(distance(applied(op_a, triangle) * x, scaled(alpha, b)), kTolerance<T> * (1 + x.largest()) * 40);
    ASSERT_EQ(library().cusparseSpSM_destroyDescr(solver), kFine);

    const OnDeviceVector<T> side(b.part(n, 1)), solution(b.part(n, 1));
    ASSERT_EQ(library().cusparseSpSV_createDescr(&solver), kFine);
    ASSERT_EQ(library().cusparseSpSV_solve(sparse(), op_a, &by, matrix.matrix, side.vector, solution.vector, kType<T>,
                                           CUSPARSE_SPSV_ALG_DEFAULT, solver),
              kFine);
    EXPECT_LE(distance(solution.get(), x.part(n, 1)), 0);
    ASSERT_EQ(library().cusparseSpSV_destroyDescr(solver), kFine);
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
