#include "libraries/cublaslt/functions/products.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "libraries/cublaslt/epilogue.hpp"
#include "libraries/cublaslt/orders.hpp"

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
  Shape shape;
  std::int64_t stride = 0;
  bool is_by_pointers = false;  // `data` is an array of addresses
  char t = 'N';

  Operand(const MatrixLayout& layout, const void* at, std::int32_t operation)
      : data(at),
        type(Type(layout.type)),
        shape(layout),
        stride(layout.stride),
        is_by_pointers(layout.batch_mode != 0),
        t("NTC?"[operation & 3]) {
    if (shape.order != CUBLASLT_ORDER_ROW) return;
    shape.order = CUBLASLT_ORDER_COL;
    std::swap(shape.rows, shape.columns);
    t = t == 'N' ? 'T' : t == 'T' ? 'N' : '?';
  }
  std::int64_t height() const { return t == 'N' ? shape.rows : shape.columns; }  // of op(matrix)
  std::int64_t width() const { return t == 'N' ? shape.columns : shape.rows; }
  const void* of(std::int64_t index, Running& running) const {
    if (is_by_pointers && data) return *running.read(static_cast<const void* const*>(data) + index, 1);
    return static_cast<const char*>(data) + index * stride * static_cast<std::int64_t>(blas::size_of(type));
  }
  std::size_t dense_bytes() const { return static_cast<std::size_t>(shape.rows * shape.columns) * blas::size_of(type); }
  // In columns: as it is, or a copy of tiles.
  blas::Matrix in_columns(const void* at, std::vector<char>& copy) const {
    if (!is_tiled(shape.order)) return {at, type, shape.ld};
    copy.resize(dense_bytes());
    if (at) to_columns(shape, blas::size_of(type), at, copy.data());
    return {copy.data(), type, shape.rows};
  }
};

struct Work {
  MatmulDescription description;
  blas::Meaning meaning;
  Operand a, b, c, d;
  std::int64_t count;
  bool has_host_scalars;
  std::int32_t* emulated_bits;
  DoubleComplex alpha{}, beta{};
  const void *alpha_place, *beta_place;
  Type scalar;
};

// Products of int8 of tiles: those of Turing and Ampere, which Hopper no longer has.
bool is_product_of_tiles(const MatmulDescription& d, const MatrixLayout& a, const MatrixLayout& b,
                         const MatrixLayout& c, const MatrixLayout& result) {
  const auto* const driver = libraries::driver();
  const bool is_of_ampere = b.order == CUBLASLT_ORDER_COL32_2R_4R4 && driver && libraries::capability(*driver) >= 80;
  return has_tiled_products() && (b.order == CUBLASLT_ORDER_COL4_4R2_8C || is_of_ampere) &&
         a.order == CUBLASLT_ORDER_COL32 && c.order == CUBLASLT_ORDER_COL32 && result.order == CUBLASLT_ORDER_COL32 &&
         Type(a.type) == Type::i8 && Type(b.type) == Type::i8 && d.ta == 0 && d.tb == 1;
}

bool has_known_orders(const MatmulDescription& d, const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c,
                      const MatrixLayout& result) {
  if (is_tiled(a.order) || is_tiled(b.order) || is_tiled(c.order) || is_tiled(result.order))
    return is_product_of_tiles(d, a, b, c, result);
  if (c.order != result.order) return false;
  return c.order == CUBLASLT_ORDER_COL || d.epilogue <= CUBLASLT_EPILOGUE_DEFAULT;
}

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
  const bool are_scales =
      std::all_of(std::begin(d.scale_modes), std::end(d.scale_modes), [](auto m) { return m == 0; });
  if (!has_known_orders(d, a, b, c, result) || !are_scales || d.tc != 0 ||
      d.pointer_mode > static_cast<std::int32_t>(CUBLASLT_POINTER_MODE_DEVICE) ||
      (has_epilogue && meaning.sum != blas::Sum::f32 && meaning.sum != blas::Sum::f64) ||
      (d.epilogue & ~kEpilogues) != 0 || a.plane_offset != 0 || a.batch_mode != b.batch_mode ||
      a.batch_mode != c.batch_mode || a.batch_mode != result.batch_mode)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const Operand op_a(a, nullptr, d.ta), op_b(b, nullptr, d.tb);
  if (op_a.t == '?' || op_b.t == '?') return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto m = static_cast<std::int64_t>(result.rows), n = static_cast<std::int64_t>(result.columns);
  const auto is_leading = [](const MatrixLayout& l) {
    return l.ld >= least_ld(Shape(l)) && l.ld <= std::numeric_limits<int>::max();
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
  std::vector<Number> sums(static_cast<std::size_t>(length)), column(static_cast<std::size_t>(o.shape.rows));
  for (std::int64_t j = 0; j < o.shape.columns; ++j) {
    blas::load(o.type,
               static_cast<const char*>(data) + j * o.shape.ld * static_cast<std::int64_t>(blas::size_of(o.type)),
               o.shape.rows, column.data());
    for (std::int64_t i = 0; i < o.shape.rows; ++i)
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
    const auto* const data = running.read(o.of(i, running), extent(o.shape), blas::size_of(o.type));
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
  const auto read = [&](const Operand& o) {
    return running.read(o.of(i, running), extent(o.shape), blas::size_of(o.type));
  };
  const bool reads_c = p.beta != DoubleComplex{};
  const auto* const place_of_d = w.d.of(i, running);
  const auto* const place_of_c = reads_c || !w.c.is_by_pointers ? w.c.of(i, running) : place_of_d;
  std::vector<char> a, b, c, d;
  p.a = w.a.in_columns(p.k > 0 ? read(w.a) : nullptr, a);
  p.b = w.b.in_columns(p.k > 0 ? read(w.b) : nullptr, b);
  p.c = w.c.in_columns(reads_c ? read(w.c) : is_tiled(w.c.shape.order) ? nullptr : place_of_c, c);
  auto* const to = running.write(const_cast<void*>(place_of_d), extent(w.d.shape), blas::size_of(w.d.type));
  const auto result = w.d.in_columns(is_tiled(w.d.shape.order) ? nullptr : to, d);
  p.d = const_cast<void*>(result.data);
  p.ldd = result.ld;
  if (place_of_c == place_of_d && !is_tiled(w.d.shape.order)) p.c.data = p.d;
  if (w.meaning.sum == blas::Sum::f32) return multiply_with_epilogue<float>(w, p, i, running);
  if (w.meaning.sum == blas::Sum::f64) return multiply_with_epilogue<double>(w, p, i, running);
  multiply_in_order(w.d, p);
  if (is_tiled(w.d.shape.order)) from_columns(w.d.shape, blas::size_of(w.d.type), p.d, to);
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
  if (w.emulated_bits) *running.write(w.emulated_bits, 1) = -1;  // documented: without emulation
  for (std::int64_t i = 0; i < w.count; ++i) {
    if (i % 16 == 15) running.tick();
    run_one(w, p, i, running);
  }
}

libraries::Pipe pipe_of(const blas::Meaning& meaning, Type input) {
  const bool doubles = meaning.sum == blas::Sum::f64 || meaning.sum == blas::Sum::c64;
  return libraries::pipe_of_product(meaning.sum == blas::Sum::i32, doubles, blas::is_narrow(meaning, input));
}

}  // namespace

cublasStatus_t note_refused(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) libraries::note_unsupported("cublasLtMatmul", "with this description");
  return status;
}

bool has_tiled_products() {
  const auto* const driver = libraries::driver();
  const auto capability = driver ? libraries::capability(*driver) : 0;
  return capability >= 75 && capability < 90;
}

cublasStatus_t check_product(const MatmulDescription& description, const MatrixLayout& a, const MatrixLayout& b,
                             const MatrixLayout& c, const MatrixLayout& result) {
  blas::Meaning meaning;
  return check(whole(description), a, b, c, result, meaning);
}

cublasStatus_t multiply(Handle* handle, MatmulDescription* description, const void* alpha, const void* a,
                        MatrixLayout* layout_a, const void* b, MatrixLayout* layout_b, const void* beta, const void* c,
                        MatrixLayout* layout_c, void* d, MatrixLayout* layout_d, const Algorithm*, void*, std::size_t,
                        CUstream stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!description || !layout_a || !layout_b || !layout_c || !layout_d || !alpha || !beta)
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto* const driver = libraries::driver();
  if (!driver) return CUBLAS_STATUS_NOT_INITIALIZED;
  const auto all = whole(*description);
  blas::Meaning meaning;
  if (const auto status = check(all, *layout_a, *layout_b, *layout_c, *layout_d, meaning);
      status != CUBLAS_STATUS_SUCCESS)
    return note_refused(status);
  if (layout_d->rows == 0 || layout_d->columns == 0 || layout_d->count == 0) return CUBLAS_STATUS_SUCCESS;
  if (!d || !a || !b) return CUBLAS_STATUS_INVALID_VALUE;
  const Operand op_d(*layout_d, d, 0);
  const auto scalar = Type(all.scalar);
  Work work{all,
            meaning,
            Operand(*layout_a, a, all.ta),
            Operand(*layout_b, b, all.tb),
            Operand(*layout_c, c, 0),
            op_d,
            layout_d->count,
            all.pointer_mode == CUBLASLT_POINTER_MODE_HOST,
            all.emulation ? static_cast<std::int32_t*>(static_cast<const EmulationDescription*>(all.emulation)->bits)
                          : nullptr,
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

}  // namespace nvmlkit::cublaslt::functions
