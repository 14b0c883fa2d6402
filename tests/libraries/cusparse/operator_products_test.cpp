// Products with functions of the program: random matrices of all types against the same functions of the host. The
// numbers are few and small, so that results are exact.
#include <functional>

#include "formats.hpp"
#include "lto.hpp"

namespace nvmlkit::library_test {

template <>
constexpr cudaDataType kType<std::int8_t> = CUDA_R_8I;
template <>
constexpr cudaDataType kType<std::int32_t> = CUDA_R_32I;

namespace {

using Function = std::function<Number(Number, Number)>;

// The text of three functions, and the same of the host.
struct Operators {
  std::string add, mul, epilogue;
  Function host_add, host_mul, host_epilogue;
};

Number each_part(Number a, Number b, double (*of)(double, double)) {
  return {of(a.real(), b.real()), of(a.imag(), b.imag())};
}
double larger(double a, double b) { return a > b ? a : b; }
double smaller(double a, double b) { return a < b ? a : b; }

// C = 2 A B + C, and the sums and largest numbers of shortest paths.
Operators plain(bool complex) {
  return {complex ? "return {a.x + b.x, a.y + b.y};" : "return a + b;",
          complex ? "return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};" : "return a * b;",
          complex ? "return {2 * a.x + b.x, 2 * a.y + b.y};" : "return 2 * a + b;",
          std::plus<Number>(),
          std::multiplies<Number>(),
          [](Number sum, Number old) { return 2.0 * sum + old; }};
}
Operators tropical(bool complex) {
  return {complex ? "return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y};" : "return a > b ? a : b;",
          complex ? "return {a.x + b.x, a.y + b.y};" : "return a + b;",
          complex ? "return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y};" : "return a < b ? a : b;",
          [](Number a, Number b) { return each_part(a, b, larger); },
          std::plus<Number>(),
          [](Number a, Number b) { return each_part(a, b, smaller); }};
}

template <class T>
std::string compiled(const char* name, const std::string& body) {
  const std::string type = kType<T> == CUDA_R_32F   ? "float"
                           : kType<T> == CUDA_R_64F ? "double"
                           : kType<T> == CUDA_C_32F ? "float2"
                           : kType<T> == CUDA_C_64F ? "double2"
                                                    : "int";
  return lto_ir(compiler(), "__device__ " + type + " " + name + "(" + type + " a, " + type + " b) {" + body + "}");
}

template <class T>
Numbers few_numbers(Random& random, int m, int n, int percent) {
  const double unit = std::is_integral_v<T> ? 1 : 0.5;
  const auto number = [&] { return unit * (random.below(9) - 4); };
  Numbers out(m, n);
  for (Number& x : out.numbers)
    if (random.below(100) < percent) x = {number(), kIsReal<T> ? 0 : number()};
  return out;
}

Numbers expected(const Operators& by, const Numbers& a, const Numbers& b, const Numbers& old) {
  Numbers out(old.rows, old.columns);
  for (int i = 0; i < out.rows; ++i)
    for (int j = 0; j < out.columns; ++j) {
      Number sum;
      for (int k = 0; k < a.columns; ++k)
        if (a(i, k) != Number()) sum = by.host_add(sum, by.host_mul(a(i, k), b(k, j)));
      out(i, j) = by.host_epilogue(sum, old(i, j));
    }
  return out;
}

template <class F, class R, class C>
struct Mix {
  using Factor = F;
  using Result = R;
  using Compute = C;
};
template <class T>
struct OperatorProducts : testing::Test {};
using Mixes =
    testing::Types<Mix<float, float, float>, Mix<double, double, double>, Mix<Complex, Complex, Complex>,
                   Mix<DoubleComplex, DoubleComplex, DoubleComplex>, Mix<std::int8_t, std::int32_t, std::int32_t>,
                   Mix<std::int8_t, float, float>, Mix<blas::Half, float, float>, Mix<blas::Bfloat16, float, float>,
                   Mix<blas::Half, blas::Half, float>, Mix<blas::Bfloat16, blas::Bfloat16, float>>;
TYPED_TEST_SUITE(OperatorProducts, Mixes);

TYPED_TEST(OperatorProducts, AreThoseOfTheHost) {
  if (!has_compiler(compiler())) GTEST_SKIP() << kNoCompiler;
  using Factor = typename TypeParam::Factor;
  using Result = typename TypeParam::Result;
  using Compute = typename TypeParam::Compute;
  Random random(7);
  for (const bool is_plain : {true, false}) {
    const auto by = is_plain ? plain(!kIsReal<Compute>) : tropical(!kIsReal<Compute>);
    const auto add = compiled<Compute>("add_op", by.add), mul = compiled<Compute>("mul_op", by.mul),
               epilogue = compiled<Compute>("epilogue", by.epilogue);
    for (int round = 0; round < 12; ++round) {
      const auto a = few_numbers<Factor>(random, random.below(20), random.below(20), 30);
      const auto right = few_numbers<Factor>(random, a.columns, random.below(9), 100);
      const auto old = few_numbers<Result>(random, a.rows, right.columns, 100);
      const auto op_b = random_operation<Factor>(random);
      const Form form{.index_type = random.below(2) ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I, .base = random.below(2)};
      const OnDeviceSparse<Factor> left(a, form);
      const OnDeviceDense<Factor> from(applied(op_b, right), random_order(random), random.below(3));
      const OnDeviceDense<Result> to(old, random_order(random), random.below(3));
      OperatorPlan* plan = nullptr;
      std::size_t size = 0;
      ASSERT_EQ(
          library().cusparseSpMMOp_createPlan(sparse(), &plan, kNone, op_b, left.matrix, from.matrix, to.matrix,
                                              kType<Compute>, CUSPARSE_SPMM_OP_ALG_DEFAULT, add.data(), add.size(),
                                              mul.data(), mul.size(), epilogue.data(), epilogue.size(), &size),
          kFine);
      EXPECT_GT(size, 0U);
      auto want = expected(by, a, right, old);
      EXPECT_EQ(library().cusparseSpMMOp(plan, nullptr), kFine);
      EXPECT_EQ(distance(to.get(), want), 0) << "round " << round;
      EXPECT_EQ(library().cusparseSpMMOp(plan, nullptr), kFine);  // once more, upon its result
      EXPECT_EQ(distance(to.get(), expected(by, a, right, want)), 0) << "round " << round;
      EXPECT_EQ(library().cusparseSpMMOp_destroyPlan(plan), kFine);
    }
  }
}

// What a plan is made of, with defaults that are right.
struct Request {
  cusparseOperation_t op_a = kNone;
  cudaDataType compute = CUDA_R_32F;
  std::string add = "none", mul = "none", epilogue = "none";
};

class OperatorPlans : public testing::Test {
 protected:
  cusparseStatus_t make(const Request& of, SparseMatrix* a) {
    std::size_t size = 0;
    plan = nullptr;
    return library().cusparseSpMMOp_createPlan(
        sparse(), &plan, of.op_a, kNone, a, b.matrix, c.matrix, of.compute, CUSPARSE_SPMM_OP_ALG_DEFAULT, of.add.data(),
        of.add.size(), of.mul.data(), of.mul.size(), of.epilogue.data(), of.epilogue.size(), &size);
  }

  Random random{3};
  Numbers numbers = sparse_numbers<float>(random, 6, 6);
  OnDeviceDense<float> b{numbers, CUSPARSE_ORDER_ROW, 0}, c{numbers, CUSPARSE_ORDER_COL, 1};
  OperatorPlan* plan = nullptr;
};

TEST_F(OperatorPlans, WithoutASenseAreRefused) {
  const OnDeviceSparse<float> a(numbers, {}), by_columns(numbers, {.format = CUSPARSE_FORMAT_CSC}),
      other(sparse_numbers<float>(random, 6, 5), {});
  const OnDeviceSparse<double> wide(numbers, {});
  EXPECT_EQ(make({.add = ""}, a.matrix), kWrong);
  EXPECT_EQ(make({.epilogue = ""}, a.matrix), kWrong);
  EXPECT_EQ(make({}, nullptr), kWrong);
  EXPECT_EQ(make({}, other.matrix), kWrong);
  EXPECT_EQ(make({.op_a = kTurned}, a.matrix), CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(make({.compute = CUDA_R_64F}, a.matrix), CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(make({}, by_columns.matrix), CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(make({}, wide.matrix), CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(library().cusparseSpMMOp(nullptr, nullptr), kWrong);
  EXPECT_EQ(library().cusparseSpMMOp_destroyPlan(nullptr), kFine);
}

TEST_F(OperatorPlans, OfCodeWithoutTheirFunctionsAreRefused) {
  if (!has_compiler(compiler())) GTEST_SKIP() << kNoCompiler;
  const OnDeviceSparse<float> a(numbers, {});
  const auto add = compiled<float>("add_op", "return a + b;"), other = compiled<float>("another", "return a * b;"),
             epilogue = compiled<float>("epilogue", "return a;");
  testing::internal::CaptureStderr();
  EXPECT_EQ(make({.add = add, .mul = other, .epilogue = epilogue}, a.matrix), CUSPARSE_STATUS_INTERNAL_ERROR);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "nvmlkit: the device code of mul_op cannot be linked: its LTO-IR has no such function\n");
  EXPECT_EQ(make({.add = add, .mul = "this is no LTO-IR", .epilogue = epilogue}, a.matrix),
            CUSPARSE_STATUS_INTERNAL_ERROR);
  EXPECT_EQ(plan, nullptr);
}

}  // namespace
}  // namespace nvmlkit::library_test
