#include "libraries/cusparse/operators.hpp"

#include <algorithm>

namespace nvmlkit::cusparse {
namespace {

constexpr const char* kName = "nvmlkit_cusparse_spmm_op";

// How a type lies in memory, and in what it is computed.
struct Element {
  cudaDataType type;
  const char *stored, *load, *store;  // of `x`
};
constexpr Element kElements[] = {
    {CUDA_R_32F, "float", "x", "x"},
    {CUDA_R_64F, "double", "x", "x"},
    {CUDA_C_32F, "float2", "x", "x"},
    {CUDA_C_64F, "double2", "x", "x"},
    {CUDA_R_32I, "int", "x", "x"},
    {CUDA_R_8I, "signed char", "(Compute)x", "x"},
    {CUDA_R_16F, "unsigned short", "of_half(x)", "half_of(x)"},
    {CUDA_R_16BF, "unsigned short", "__uint_as_float((unsigned)x << 16)", "bfloat_of(x)"},
};
const Element& element_of(cudaDataType type) {
  return *std::find_if(std::begin(kElements), std::end(kElements), [&](const Element& e) { return e.type == type; });
}

// Of the factors, the result and the arithmetic, as the documentation lists them.
constexpr cudaDataType kSupported[][3] = {{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F}, {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
                                          {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F}, {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
                                          {CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},  {CUDA_R_8I, CUDA_R_32F, CUDA_R_32F},
                                          {CUDA_R_16F, CUDA_R_32F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F},
                                          {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F}};

constexpr const char* kBody = R"(
struct Places {
  long long rows, columns;
  const void *offsets, *indices, *values, *right;
  void* out;
  long long base, right_row_step, right_column_step, out_row_step, out_column_step;
};
__device__ Compute add_op(Compute, Compute);
__device__ Compute mul_op(Compute, Compute);
__device__ Compute epilogue(Compute, Compute);

__device__ float of_half(unsigned short x) {
  float out;
  asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(x));
  return out;
}
__device__ unsigned short half_of(float x) {
  unsigned short out;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out) : "f"(x));
  return out;
}
__device__ unsigned short bfloat_of(float x) {
  const unsigned bits = __float_as_uint(x);
  return x != x ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
__device__ Compute loaded(Factor x) { return LOAD_FACTOR; }
__device__ Compute old_of(Result x) { return LOAD_RESULT; }
__device__ Result stored(Compute x) { return STORE_RESULT; }

extern "C" __global__ void nvmlkit_cusparse_spmm_op(Places p) {
  const long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (at >= p.rows * p.columns) return;
  const long long row = at / p.columns, column = at % p.columns;
  const Index* const offsets = (const Index*)p.offsets;
  Compute sum = Compute();
  for (long long k = offsets[row] - p.base; k < offsets[row + 1] - p.base; ++k) {
    const long long line = ((const Index*)p.indices)[k] - p.base;
    Compute right = loaded(((const Factor*)p.right)[line * p.right_row_step + column * p.right_column_step]);
    CONJUGATE;
    sum = add_op(sum, mul_op(loaded(((const Factor*)p.values)[k]), right));
  }
  Result* const out = (Result*)p.out + row * p.out_row_step + column * p.out_column_step;
  *out = stored(epilogue(sum, old_of(*out)));
}
)";

}  // namespace

bool are_supported(const ProductTypes& types) {
  return std::any_of(std::begin(kSupported), std::end(kSupported), [&](const cudaDataType(&row)[3]) {
    return row[0] == types.factors && row[1] == types.result && row[2] == types.compute;
  });
}

ProductPlaces places_of(const SparseMatrix& a, const DenseMatrix& b, cusparseOperation_t op_b, const DenseMatrix& c) {
  const bool by_rows = (b.order == CUSPARSE_ORDER_ROW) == (op_b == CUSPARSE_OPERATION_NON_TRANSPOSE);
  const bool out_by_rows = c.order == CUSPARSE_ORDER_ROW;
  return {.rows = c.rows,
          .columns = c.columns,
          .offsets = a.offsets,
          .indices = a.indices,
          .values = a.values,
          .right = b.values,
          .out = c.values,
          .base = a.base,
          .right_row_step = by_rows ? b.leading : 1,
          .right_column_step = by_rows ? 1 : b.leading,
          .out_row_step = out_by_rows ? c.leading : 1,
          .out_column_step = out_by_rows ? 1 : c.leading};
}

libraries::KernelText product_kernel(const ProductTypes& types) {
  const Element &factor = element_of(types.factors), &result = element_of(types.result);
  const auto alias = [](const char* name, const char* type) {
    return std::string("using ") + name + " = " + type + ";\n";
  };
  const auto macro = [](const char* name, const char* text) {
    return std::string("#define ") + name + " " + text + "\n";
  };
  return {kName,
          {alias("Factor", factor.stored) + alias("Result", result.stored) +
           alias("Compute", element_of(types.compute).stored) +
           alias("Index", types.index == CUSPARSE_INDEX_64I ? "long long" : "int") + macro("LOAD_FACTOR", factor.load) +
           macro("LOAD_RESULT", result.load) + macro("STORE_RESULT", result.store) +
           macro("CONJUGATE", types.conjugates ? "right.y = -right.y" : "") + kBody}};
}

}  // namespace nvmlkit::cusparse
