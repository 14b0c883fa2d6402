// libcublasLt: sums of matrices in any order of their elements, and the products of int8 of tiles.
#include "cublaslt_support.hpp"

namespace nvmlkit::library_test {
namespace {

// As the header describes the orders, where it does.
std::size_t place(cublasLtOrder_t order, std::size_t row, std::size_t column, std::size_t ld) {
  const auto group = column / 32 * ld, in_group = column % 32;
  switch (order) {
    case CUBLASLT_ORDER_COL:
      return column * ld + row;
    case CUBLASLT_ORDER_ROW:
      return row * ld + column;
    case CUBLASLT_ORDER_COL32:
      return group + row * 32 + in_group;
    case CUBLASLT_ORDER_COL32_2R_4R4: {
      const auto r = row % 32;
      return group + row / 32 * 1024 + (((r % 8) / 2 * 4 + r / 8) * 2 + r % 2) * 32 + in_group;
    }
    case CUBLASLT_ORDER_COL4_4R2_8C: {
      const auto tile_of_8 = row % 2 * 4 + in_group / 8, half = in_group % 8 / 4, quarter = row % 8 / 2;
      return group + row / 8 * 256 + tile_of_8 * 32 + half * 16 + quarter * 4 + in_group % 4;
    }
  }
  return 0;
}

std::int64_t ld_of(cublasLtOrder_t order, std::int64_t rows, std::int64_t columns) {
  const auto up = [](std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; };
  switch (order) {
    case CUBLASLT_ORDER_COL:
      return rows;
    case CUBLASLT_ORDER_ROW:
      return columns;
    case CUBLASLT_ORDER_COL32:
      return 32 * rows;
    case CUBLASLT_ORDER_COL4_4R2_8C:
      return 32 * up(rows, 8);
    case CUBLASLT_ORDER_COL32_2R_4R4:
      return 32 * up(rows, 32);
  }
  return 0;
}

constexpr cublasLtOrder_t kOrders[] = {CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW, CUBLASLT_ORDER_COL32,
                                       CUBLASLT_ORDER_COL4_4R2_8C, CUBLASLT_ORDER_COL32_2R_4R4};

// A layout in an order, with its least leading dimension.
class Layout {
 public:
  Layout(cudaDataType type, std::int64_t rows, std::int64_t columns, cublasLtOrder_t order = CUBLASLT_ORDER_COL) {
    lt_library().cublasLtMatrixLayoutCreate(&made_, type, static_cast<std::uint64_t>(rows),
                                            static_cast<std::uint64_t>(columns), ld_of(order, rows, columns));
    const auto number = static_cast<std::int32_t>(order);
    EXPECT_EQ(lt_library().cublasLtMatrixLayoutSetAttribute(made_, CUBLASLT_MATRIX_LAYOUT_ORDER, &number, 4),
              CUBLAS_STATUS_SUCCESS);
  }
  ~Layout() { lt_library().cublasLtMatrixLayoutDestroy(made_); }
  Layout(const Layout&) = delete;
  operator MatrixLayout*() const { return made_; }

 private:
  MatrixLayout* made_ = nullptr;
};

class CublasLtOrders : public testing::Test {
 protected:
  void SetUp() override {
    need_context();
    ASSERT_EQ(lib.cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(lib.cublasLtMatrixTransformDescCreate(&transform, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override {
    lib.cublasLtMatrixTransformDescDestroy(transform);
    lib.cublasLtDestroy(handle);
  }
  void turn(cublasLtMatrixTransformDescAttributes_t which, std::int32_t operation) {
    ASSERT_EQ(lib.cublasLtMatrixTransformDescSetAttribute(transform, which, &operation, 4), CUBLAS_STATUS_SUCCESS);
  }
  template <class A, class C>
  cublasStatus_t convert(const OnDevice<A>& a, const Layout& layout_a, const OnDevice<C>& c, const Layout& layout_c) {
    const float one = 1;
    return lib.cublasLtMatrixTransform(handle, transform, &one, a.data(), layout_a, nullptr, nullptr, nullptr, c.data(),
                                       layout_c, nullptr);
  }
  bool has_tiled_products() const {
    int major = 0;
    driver().cuDeviceGetAttribute(&major, cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
    return major == 8;
  }

  const Cublaslt& lib = lt_library();
  Handle* handle = nullptr;
  TransformDescription* transform = nullptr;
  Random random;
};

// From columns to each order, to each other one, and back.
TEST_F(CublasLtOrders, AreTurnedIntoEachOther) {
  constexpr std::int64_t kRows = 45, kColumns = 70;
  std::vector<float> values(kRows * kColumns);
  for (auto& v : values) v = static_cast<float>(random.number());
  const OnDevice<float> given(values), back(std::vector<float>(values.size()));
  const Layout columns(CUDA_R_32F, kRows, kColumns);
  for (const auto first : kOrders)
    for (const auto second : kOrders) {
      SCOPED_TRACE(testing::Message() << first << " to " << second);
      const OnDevice<float> in_first(std::vector<float>(3 * 64 * 32 * 2)),
          in_second(std::vector<float>(3 * 64 * 32 * 2));
      const Layout one(CUDA_R_32F, kRows, kColumns, first), other(CUDA_R_32F, kRows, kColumns, second);
      ASSERT_EQ(convert(given, columns, in_first, one), CUBLAS_STATUS_SUCCESS);
      ASSERT_EQ(convert(in_first, one, in_second, other), CUBLAS_STATUS_SUCCESS);
      ASSERT_EQ(convert(in_second, other, back, columns), CUBLAS_STATUS_SUCCESS);
      EXPECT_EQ(driver().cuCtxSynchronize(), cuda::CUDA_SUCCESS);
      EXPECT_EQ(back.get(), values);
      const auto placed = in_second.get();
      const auto ld = static_cast<std::size_t>(ld_of(second, kRows, kColumns));
      for (std::size_t row = 0; row < kRows; ++row)
        for (std::size_t column = 0; column < kColumns; ++column)
          ASSERT_EQ(placed[place(second, row, column, ld)], values[column * kRows + row]) << row << " " << column;
    }
}

// C = alpha * A^T + beta * B, of three types.
TEST_F(CublasLtOrders, AddTwoMatrices) {
  constexpr std::int64_t kRows = 5, kColumns = 7;
  std::vector<std::int8_t> a(kRows * kColumns);
  std::vector<float> b(kRows * kColumns);
  for (std::size_t k = 0; k < a.size(); ++k) {
    a[k] = static_cast<std::int8_t>(static_cast<int>(k * 37 % 255) - 127);
    b[k] = static_cast<float>(random.number());
  }
  const OnDevice<std::int8_t> on_a(a);
  const OnDevice<float> on_b(b);
  const OnDevice<double> on_c(std::vector<double>(a.size()));
  const Layout layout_a(CUDA_R_8I, kColumns, kRows), layout_b(CUDA_R_32F, kRows, kColumns, CUBLASLT_ORDER_ROW),
      layout_c(CUDA_R_64F, kRows, kColumns);
  turn(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, 1);
  const float alpha = 0.5F, beta = 3;
  ASSERT_EQ(lib.cublasLtMatrixTransform(handle, transform, &alpha, on_a.data(), layout_a, &beta, on_b.data(), layout_b,
                                        on_c.data(), layout_c, nullptr),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), cuda::CUDA_SUCCESS);
  const auto result = on_c.get();
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t column = 0; column < kColumns; ++column)
      EXPECT_EQ(result[column * kRows + row],
                static_cast<double>(alpha * static_cast<float>(a[row * kColumns + column]) +
                                    beta * b[row * kColumns + column]));
}

// One layout for both: each matrix has its own operation.
TEST_F(CublasLtOrders, AMatrixIsAddedToItselfTurned) {
  const std::vector<float> a = {1, 2, 3, 4};
  const OnDevice<float> on_a(a), on_c(std::vector<float>(4));
  const Layout layout(CUDA_R_32F, 2, 2);
  turn(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, 1);
  const float alpha = 1, beta = 10;
  ASSERT_EQ(lib.cublasLtMatrixTransform(handle, transform, &alpha, on_a.data(), layout, &beta, on_a.data(), layout,
                                        on_c.data(), layout, nullptr),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), cuda::CUDA_SUCCESS);
  EXPECT_EQ(on_c.get(), (std::vector<float>{11, 32, 23, 44}));
  const Layout wide(CUDA_R_32F, 2, 3);
  EXPECT_EQ(lib.cublasLtMatrixTransform(handle, transform, &alpha, on_a.data(), wide, &beta, on_a.data(), wide,
                                        on_c.data(), wide, nullptr),
            CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(CublasLtOrders, RefuseWhatDoesNotFit) {
  const OnDevice<float> memory(std::vector<float>(4096));
  const float one = 1;
  const Layout right(CUDA_R_32F, 4, 6), turned(CUDA_R_32F, 6, 4), complex(CUDA_C_32F, 4, 6);
  const auto call = [&](Handle* h, TransformDescription* d, const void* a, MatrixLayout* layout_a, void* c,
                        MatrixLayout* layout_c) {
    return lib.cublasLtMatrixTransform(h, d, &one, a, layout_a, nullptr, nullptr, nullptr, c, layout_c, nullptr);
  };
  auto* const data = memory.data();
  EXPECT_EQ(call(nullptr, transform, data, right, data, right), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(call(handle, nullptr, data, right, data, right), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(handle, transform, data, nullptr, data, right), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(handle, transform, data, right, nullptr, right), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(handle, transform, data, turned, data, right), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(handle, transform, data, complex, data, right), CUBLAS_STATUS_NOT_SUPPORTED);
  const std::int64_t short_ld = 3;
  lib.cublasLtMatrixLayoutSetAttribute(turned, CUBLASLT_MATRIX_LAYOUT_LD, &short_ld, 8);
  turn(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, 1);
  EXPECT_EQ(call(handle, transform, data, turned, data, right), CUBLAS_STATUS_INVALID_VALUE);
}

// Turing and Ampere multiply tiles of int8, Hopper does not.
TEST_F(CublasLtOrders, AreMultiplied) {
  constexpr std::int64_t kM = 40, kN = 24, kK = 64;
  std::vector<std::int8_t> a(kM * kK), b(kN * kK);
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = static_cast<std::int8_t>(static_cast<int>(k * 73 % 251) - 125);
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = static_cast<std::int8_t>(static_cast<int>(k * 91 % 253) - 126);
  const OnDevice<std::int8_t> on_a(a), on_b(b), tiles_a(std::vector<std::int8_t>(32 * 64 * 2)),
      tiles_b(std::vector<std::int8_t>(32 * 64 * 2));
  const OnDevice<std::int32_t> tiles_c(std::vector<std::int32_t>(32 * 64 * 2)),
      on_c(std::vector<std::int32_t>(kM * kN));
  MatmulDescription* product = nullptr;
  ASSERT_EQ(lib.cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32I, CUDA_R_32I), CUBLAS_STATUS_SUCCESS);
  const std::int32_t turned = 1, one = 1, zero = 0;
  lib.cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSB, &turned, 4);
  for (const auto order : {CUBLASLT_ORDER_COL4_4R2_8C, CUBLASLT_ORDER_COL32_2R_4R4}) {
    const Layout columns_a(CUDA_R_8I, kM, kK), columns_b(CUDA_R_8I, kN, kK), columns_c(CUDA_R_32I, kM, kN);
    const Layout a32(CUDA_R_8I, kM, kK, CUBLASLT_ORDER_COL32), b32(CUDA_R_8I, kN, kK, order),
        c32(CUDA_R_32I, kM, kN, CUBLASLT_ORDER_COL32);
    ASSERT_EQ(convert(on_a, columns_a, tiles_a, a32), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(convert(on_b, columns_b, tiles_b, b32), CUBLAS_STATUS_SUCCESS);
    const auto status = lib.cublasLtMatmul(handle, product, &one, tiles_a.data(), a32, tiles_b.data(), b32, &zero,
                                           tiles_c.data(), c32, tiles_c.data(), c32, nullptr, nullptr, 0, nullptr);
    ASSERT_EQ(status, has_tiled_products() ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED);
    if (status != CUBLAS_STATUS_SUCCESS) continue;
    ASSERT_EQ(convert(tiles_c, c32, on_c, columns_c), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(driver().cuCtxSynchronize(), cuda::CUDA_SUCCESS);
    const auto result = on_c.get();
    for (std::size_t i = 0; i < kM; ++i)
      for (std::size_t j = 0; j < kN; ++j) {
        std::int32_t sum = 0;
        for (std::size_t l = 0; l < kK; ++l) sum += a[l * kM + i] * b[l * kN + j];
        ASSERT_EQ(result[j * kM + i], sum) << i << " " << j;
      }
  }
  lib.cublasLtMatmulDescDestroy(product);
}

}  // namespace
}  // namespace nvmlkit::library_test
