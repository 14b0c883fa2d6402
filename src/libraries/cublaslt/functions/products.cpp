#include "libraries/cublaslt/functions/products.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "libraries/cublaslt/epilogue.hpp"

namespace nvmlkit::cublaslt::functions {
namespace {

using blas::DoubleComplex;
using blas::Type;
using libraries::Running;

constexpr std::uint32_t kSumsOfA = 256, kSumsOfB = 512;

// A matrix with rows behind each other is the transposed one with columns behind each other.
struct Operand {
  const void* data = nullptr;
  Type type{};
  std::int64_t rows = 0, columns = 0, ld = 0, stride = 0;  // of columns
  char t = 'N';

  Operand(const MatrixLayout& layout, const void* at, std::int32_t operation)
      : data(at),
        type(Type(layout.type)),
        rows(static_cast<std::int64_t>(layout.rows)),
        columns(static_cast<std::int64_t>(layout.columns)),
        ld(layout.ld),
        stride(layout.stride),
        t("NTC?"[operation & 3]) {
    if (layout.order != CUBLASLT_ORDER_ROW) return;
    std::swap(rows, columns);
    t = t == 'N' ? 'T' : t == 'T' ? 'N' : '?';
  }
  std::int64_t height() const { return t == 'N' ? rows : columns; }  // of op(matrix)
  std::int64_t width() const { return t == 'N' ? columns : rows; }
  std::int64_t extent() const { return rows > 0 && columns > 0 ? (columns - 1) * ld + rows : 0; }
  const void* of(std::int64_t index) const {
    return static_cast<const char*>(data) + index * stride * static_cast<std::int64_t>(blas::size_of(type));
  }
};

struct Work {
  MatmulDescription description;
  blas::Meaning meaning;
  Operand a, b, c, d;
  std::int64_t count;
  bool has_host_scalars;
  DoubleComplex alpha{}, beta{};
  const void *alpha_place, *beta_place;
  Type scalar;
};

bool is_order(const MatrixLayout& l) { return l.order == CUBLASLT_ORDER_COL || l.order == CUBLASLT_ORDER_ROW; }

// Whether the product is one that is simulated; `meaning` of its compute type.
cublasStatus_t check(const MatmulDescription& d, const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c,
                     const MatrixLayout& result, blas::Meaning& meaning) {
  const auto* const driver = libraries::driver();
  const bool has_tf32 = driver && libraries::rounds_to_tf32(libraries::capability(*driver));
  if (!blas::meaning_of(d.compute, Type(result.type), has_tf32, meaning)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (!blas::is_input_of(meaning.sum, Type(a.type)) || !blas::is_input_of(meaning.sum, Type(b.type)) ||
      blas::size_of(Type(result.type)) == 0 || blas::size_of(Type(c.type)) == 0 || blas::size_of(Type(d.scalar)) == 0)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool has_epilogue = d.epilogue > CUBLASLT_EPILOGUE_DEFAULT;
  const bool are_columns = c.order == CUBLASLT_ORDER_COL && result.order == CUBLASLT_ORDER_COL;
  const bool are_rows = c.order == CUBLASLT_ORDER_ROW && result.order == CUBLASLT_ORDER_ROW && !has_epilogue;
  const bool are_scales =
      std::all_of(std::begin(d.scale_modes), std::end(d.scale_modes), [](auto m) { return m == 0; });
  if (!is_order(a) || !is_order(b) || !(are_columns || are_rows) || !are_scales || d.tc != 0 ||
      d.pointer_mode > static_cast<std::int32_t>(CUBLASLT_POINTER_MODE_DEVICE) ||
      (has_epilogue && meaning.sum != blas::Sum::f32 && meaning.sum != blas::Sum::f64) || (d.epilogue & ~1023u) != 0 ||
      a.batch_mode != 0 || a.plane_offset != 0)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const Operand op_a(a, nullptr, d.ta), op_b(b, nullptr, d.tb);
  if (op_a.t == '?' || op_b.t == '?') return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto m = static_cast<std::int64_t>(result.rows), n = static_cast<std::int64_t>(result.columns);
  const auto is_leading = [](const MatrixLayout& l) {
    return l.ld >= static_cast<std::int64_t>(l.order == CUBLASLT_ORDER_ROW ? l.columns : l.rows) &&
           l.ld <= std::numeric_limits<int>::max();
  };
  if (op_a.height() != m || op_b.width() != n || op_a.width() != op_b.height() || c.rows != result.rows ||
      c.columns != result.columns || !is_leading(a) || !is_leading(b) || !is_leading(c) || !is_leading(result) ||
      a.count != result.count || b.count != result.count)
    return CUBLAS_STATUS_INVALID_VALUE;
  return CUBLAS_STATUS_SUCCESS;
}

// The gradient of a bias of an input: sums over what the product sums over.
template <class Number>
void sum_input(const Operand& o, const void* data, bool is_a, const MatmulDescription& d, Type result,
               Running& running) {
  const auto length = is_a ? o.height() : o.width();
  const bool along = is_a == (o.t == 'N');  // sums run across columns
  std::vector<Number> sums(static_cast<std::size_t>(length)), column(static_cast<std::size_t>(o.rows));
  for (std::int64_t j = 0; j < o.columns; ++j) {
    blas::load(o.type, static_cast<const char*>(data) + j * o.ld * static_cast<std::int64_t>(blas::size_of(o.type)),
               o.rows, column.data());
    for (std::int64_t i = 0; i < o.rows; ++i)
      sums[static_cast<std::size_t>(along ? i : j)] += column[static_cast<std::size_t>(i)];
  }
  const auto type = d.bias_type >= 0 ? Type(d.bias_type) : result;
  blas::store(type, sums.data(), length, running.write(d.bias, length, blas::size_of(type)));
}

float scale_of(Running& running, const void* pointer, Type type) {
  return pointer && blas::size_of(type) == 1 ? *running.read(static_cast<const float*>(pointer), 1) : 1.0f;
}

void multiply_in_order(const Operand& d, const blas::Product& p) {
  if (d.t == 'N') return blas::multiply(p);
  // Rows: the transposed product.
  blas::Product turned = p;
  const auto other = [](char t) { return t == 'N' ? 'T' : 'N'; };
  std::swap(turned.a, turned.b);
  turned.ta = other(p.tb);
  turned.tb = other(p.ta);
  std::swap(turned.m, turned.n);
  blas::multiply(turned);
}

// With an epilogue of the product's sums, in float or double. Rows have none.
template <class Number>
void multiply_with_epilogue(const Work& w, blas::Product& p, std::int64_t i, Running& running) {
  const auto& d = w.description;
  const auto sums_of = [&](const Operand& o, bool is_a) {
    const auto* const data = running.read(o.of(i), o.extent(), blas::size_of(o.type));
    sum_input<Number>(o, data, is_a, d, w.d.type, running);
  };
  if ((d.epilogue & kSumsOfA) && d.bias) sums_of(w.a, true);
  if ((d.epilogue & kSumsOfB) && d.bias) sums_of(w.b, false);
  Epilogue<Number> epilogue(d, w.d.type, p.m, p.n, i, running);
  const auto change = [&epilogue](std::int64_t column, Number* numbers) { epilogue.apply(column, numbers); };
  p.epilogue = {};
  p.epilogue_of_doubles = {};
  if (epilogue.is_none()) return multiply_in_order(w.d, p);
  if constexpr (std::is_same_v<Number, float>)
    p.epilogue = change;
  else
    p.epilogue_of_doubles = change;
  multiply_in_order(w.d, p);
  epilogue.finish(running);
}

void run_one(const Work& w, blas::Product& p, std::int64_t i, Running& running) {
  const auto read = [&](const Operand& o) { return running.read(o.of(i), o.extent(), blas::size_of(o.type)); };
  p.a = {p.k > 0 ? read(w.a) : nullptr, w.a.type, w.a.ld};
  p.b = {p.k > 0 ? read(w.b) : nullptr, w.b.type, w.b.ld};
  p.c = {p.beta != DoubleComplex{} ? read(w.c) : w.c.of(i), w.c.type, w.c.ld};
  p.d = running.write(const_cast<void*>(w.d.of(i)), w.d.extent(), blas::size_of(w.d.type));
  if (w.c.data == w.d.data) p.c.data = p.d;
  if (w.meaning.sum == blas::Sum::f32) return multiply_with_epilogue<float>(w, p, i, running);
  if (w.meaning.sum == blas::Sum::f64) return multiply_with_epilogue<double>(w, p, i, running);
  multiply_in_order(w.d, p);
}

void run(const Work& w, Running& running) {
  blas::Product p;
  p.ta = w.a.t;
  p.tb = w.b.t;
  p.m = w.a.height();
  p.n = w.b.width();
  p.sum = w.meaning.sum;
  p.rounding = w.meaning.rounding;
  const auto scalar = [&](DoubleComplex value, const void* place) {
    return w.has_host_scalars
               ? value
               : blas::load_one<DoubleComplex>(w.scalar, running.read(place, 1, blas::size_of(w.scalar)));
  };
  const auto& d = w.description;
  p.alpha = scalar(w.alpha, w.alpha_place) *
            double(scale_of(running, d.a_scale, w.a.type) * scale_of(running, d.b_scale, w.b.type));
  p.beta = scalar(w.beta, w.beta_place) * double(scale_of(running, d.c_scale, w.c.type));
  p.k = p.alpha == DoubleComplex{} ? 0 : w.a.width();
  p.d_type = w.d.type;
  p.ldd = w.d.ld;
  for (std::int64_t i = 0; i < w.count; ++i) {
    if (i % 16 == 15) running.tick();
    run_one(w, p, i, running);
  }
}

libraries::Pipe pipe_of(const blas::Meaning& meaning, Type input) {
  const bool doubles = meaning.sum == blas::Sum::f64 || meaning.sum == blas::Sum::c64;
  return libraries::pipe_of_product(meaning.sum == blas::Sum::i32, doubles, blas::is_narrow(meaning, input));
}

cublasStatus_t refuse(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) libraries::note_unsupported("cublasLtMatmul", "with this description");
  return status;
}

}  // namespace

cublasStatus_t multiply(Handle* handle, MatmulDescription* description, const void* alpha, const void* a,
                        MatrixLayout* layout_a, const void* b, MatrixLayout* layout_b, const void* beta, const void* c,
                        MatrixLayout* layout_c, void* d, MatrixLayout* layout_d, const Algorithm*, void*, std::size_t,
                        CUstream stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!description || !layout_a || !layout_b || !layout_c || !layout_d || !alpha || !beta)
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto* const driver = libraries::driver();
  if (!driver) return CUBLAS_STATUS_NOT_INITIALIZED;
  blas::Meaning meaning;
  if (const auto status = check(*description, *layout_a, *layout_b, *layout_c, *layout_d, meaning);
      status != CUBLAS_STATUS_SUCCESS)
    return refuse(status);
  if (layout_d->rows == 0 || layout_d->columns == 0 || layout_d->count == 0) return CUBLAS_STATUS_SUCCESS;
  if (!d || !a || !b) return CUBLAS_STATUS_INVALID_VALUE;
  const Operand op_d(*layout_d, d, 0);
  const auto scalar = Type(description->scalar);
  Work work{*description,
            meaning,
            Operand(*layout_a, a, description->ta),
            Operand(*layout_b, b, description->tb),
            Operand(*layout_c, c, 0),
            op_d,
            layout_d->count,
            description->pointer_mode == CUBLASLT_POINTER_MODE_HOST,
            {},
            {},
            alpha,
            beta,
            scalar};
  if (work.has_host_scalars) {
    work.alpha = blas::load_one<DoubleComplex>(scalar, alpha);
    work.beta = blas::load_one<DoubleComplex>(scalar, beta);
    if (work.beta != DoubleComplex{} && !c) return CUBLAS_STATUS_INVALID_VALUE;
  }
  const double elements = static_cast<double>(layout_d->rows) * static_cast<double>(layout_d->columns);
  const libraries::Cost cost{2 * elements * static_cast<double>(work.a.width()) * layout_d->count, 3 * elements,
                             pipe_of(meaning, work.a.type)};
  const auto result =
      libraries::enqueue(*driver, stream, "cublasLtMatmul", cost, [work](Running& running) { run(work, running); });
  return result == cuda::CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t check_algorithm(Handle* handle, MatmulDescription* description, MatrixLayout* a, MatrixLayout* b,
                               MatrixLayout* c, MatrixLayout* d, const Algorithm* algorithm, HeuristicResult* result) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!description || !a || !b || !c || !d || !result) return CUBLAS_STATUS_INVALID_VALUE;
  blas::Meaning meaning;
  *result = {};
  result->state = check(*description, *a, *b, *c, *d, meaning);
  if (algorithm) result->algorithm = *algorithm;
  result->waves = 1;
  return result->state;
}

// One algorithm does all.
cublasStatus_t find_algorithms(Handle* handle, MatmulDescription* description, MatrixLayout* a, MatrixLayout* b,
                               MatrixLayout* c, MatrixLayout* d, Preference*, int most, HeuristicResult* results,
                               int* count) {
  if (!results || !count || most < 1) return CUBLAS_STATUS_INVALID_VALUE;
  *count = 0;
  const auto status = check_algorithm(handle, description, a, b, c, d, nullptr, results);
  if (status == CUBLAS_STATUS_SUCCESS) *count = 1;
  return refuse(status);
}

cublasStatus_t algorithm_numbers(Handle* handle, cublasComputeType_t, cudaDataType, cudaDataType, cudaDataType,
                                 cudaDataType, cudaDataType, int most, int* numbers, int* count) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (most < 0 || (most > 0 && (!numbers || !count))) return CUBLAS_STATUS_INVALID_VALUE;
  if (most > 0) numbers[0] = 0;
  if (count) *count = most > 0;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t make_algorithm(Handle* handle, cublasComputeType_t, cudaDataType, cudaDataType, cudaDataType,
                              cudaDataType, cudaDataType, int number, Algorithm* out) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!out || number != 0) return CUBLAS_STATUS_INVALID_VALUE;
  *out = {};
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cublaslt::functions
