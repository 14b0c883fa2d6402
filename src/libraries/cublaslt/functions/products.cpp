#include "libraries/cublaslt/functions/products.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "libraries/cublaslt/epilogue.hpp"
#include "libraries/cublaslt/functions/product_check.hpp"
#include "libraries/cublaslt/planes.hpp"
#include "libraries/cublaslt/scales.hpp"

namespace nvmlkit::cublaslt::functions {
namespace {

using blas::DoubleComplex;
using blas::Type;
using libraries::Running;

constexpr std::uint32_t kSumsOfA = 256, kSumsOfB = 512;

struct Work {
  MatmulDescription description;
  Kind kind;
  blas::Meaning meaning;
  Operand a, b, c, d;
  std::int64_t count;
  bool has_host_scalars;
  std::int32_t* emulated_bits;
  DoubleComplex alpha{}, beta{};
  const void *alpha_place, *beta_place;
  Type scalar;
  std::array<std::int64_t, 4> plane_offsets;  // of A, B, C, D
};

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

// One product of a batch of planes.
void run_planes(const Work& w, blas::Product& p, std::int64_t i, Running& running) {
  const Planes a(w.a, w.plane_offsets[0]), b(w.b, w.plane_offsets[1]), c(w.c, w.plane_offsets[2]),
      d(w.d, w.plane_offsets[3]);
  std::vector<blas::Complex> of_a, of_b, of_c, sums(static_cast<std::size_t>(extent(w.d.shape)));
  if (p.k > 0) {
    of_a = a.load(i, running);
    of_b = b.load(i, running);
  }
  if (p.beta != DoubleComplex{}) of_c = c.load(i, running);
  p.a = {of_a.data(), Type::c32, w.a.shape.ld};
  p.b = {of_b.data(), Type::c32, w.b.shape.ld};
  p.c = {of_c.data(), Type::c32, w.c.shape.ld};
  p.d = sums.data();
  p.d_type = Type::c32;
  p.ldd = w.d.shape.ld;
  multiply_in_order(w.d, p);
  d.store(i, sums, running);
}

// One product of a batch of matrices with scales. Its type of 4 bits is none of blas::Type's.
void run_blocks(const Work& w, blas::Product& p, std::int64_t i, Running& running) {
  const auto& d = w.description;
  const auto& modes = d.scale_modes;
  const auto narrow = [&](const Operand& o, const Scales& scales, const void* of_blocks, bool is_across) {
    return Narrow{static_cast<std::int32_t>(o.type), o.data, o.shape.ld, o.stride, scales, of_blocks, is_across};
  };
  const auto a = narrow(w.a, {modes[0], p.k, p.m}, d.a_scale, p.ta == 'N'),
             b = narrow(w.b, {modes[1], p.k, p.n}, d.b_scale, p.tb != 'N'),
             result = narrow(w.d, {modes[5], p.m, p.n}, d.d_out_scale, false);
  std::vector<float> of_a, of_b, sums;
  if (p.k > 0) {
    of_a = scaled_numbers(running, a, i);
    of_b = scaled_numbers(running, b, i);
  }
  p.a = {of_a.data(), Type::f32, std::max<std::int64_t>(a.length(), 1)};
  p.b = {of_b.data(), Type::f32, std::max<std::int64_t>(b.length(), 1)};
  if (p.beta != DoubleComplex{})
    p.c = {running.read(w.c.of(i, running), extent(w.c.shape), blas::size_of(w.c.type)), w.c.type, w.c.shape.ld};
  const bool is_narrow = bits_of_narrow(result.type) != 0;
  sums.resize(static_cast<std::size_t>(is_narrow ? p.m * p.n : 0));
  p.d = is_narrow ? sums.data()
                  : running.write(const_cast<void*>(w.d.of(i, running)), extent(w.d.shape), blas::size_of(w.d.type));
  p.d_type = is_narrow ? Type::f32 : w.d.type;
  p.ldd = is_narrow ? p.m : w.d.shape.ld;
  // Of 4 bits as of 8: a factor of the whole matrix, and a bias of 16 bits.
  Epilogue<float> epilogue(d, is_narrow ? Type::e4m3 : w.d.type, p.m, p.n, i, running);
  if (!epilogue.is_none()) p.epilogue = [&](std::int64_t column, float* numbers) { epilogue.apply(column, numbers); };
  blas::multiply(p);
  p.epilogue = {};
  epilogue.finish(running);
  if (is_narrow) store_scaled(running, sums, result, i);
}

blas::Product product_of(const Work& w, Running& running) {
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
  p.alpha = scalar(w.alpha, w.alpha_place);
  p.beta = scalar(w.beta, w.beta_place);
  // Matrices that have no scales have no pointers to them.
  const auto scale = [&](const void* place) {
    return double{place ? *running.read(static_cast<const float*>(place), 1) : 1.0f};
  };
  if (w.kind == Kind::plain) p.alpha *= scale(d.a_scale) * scale(d.b_scale);
  p.beta *= scale(d.c_scale);
  p.k = p.alpha == DoubleComplex{} ? 0 : w.a.width();
  p.d_type = w.d.type;
  return p;
}

void run(const Work& w, Running& running) {
  auto p = product_of(w, running);
  if (w.emulated_bits) *running.write(w.emulated_bits, 1) = -1;  // documented: without emulation
  for (std::int64_t i = 0; i < w.count; ++i) {
    if (i % 16 == 15) running.tick();
    if (w.kind == Kind::of_blocks)
      run_blocks(w, p, i, running);
    else if (w.kind == Kind::of_planes)
      run_planes(w, p, i, running);
    else
      run_one(w, p, i, running);
  }
}

libraries::Pipe pipe_of(const blas::Meaning& meaning, Kind kind, Type input) {
  if (kind == Kind::of_blocks) return libraries::pipe_of_product(false, false, true);
  const bool doubles = meaning.sum == blas::Sum::f64 || meaning.sum == blas::Sum::c64;
  return libraries::pipe_of_product(meaning.sum == blas::Sum::i32, doubles, blas::is_narrow(meaning, input));
}

// The scales of blocks.
bool has_places(const MatmulDescription& d) {
  return d.a_scale && d.b_scale && (d.scale_modes[5] == 0 || d.d_out_scale);
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
  auto all = whole(*description);
  if (is_conjugated_in_rows_alone(all, *layout_a, *layout_b, *layout_c, *layout_d)) {
    auto own = turned(all);
    auto of_a = turned(*layout_a), of_b = turned(*layout_b), of_c = turned(*layout_c), of_d = turned(*layout_d);
    return multiply(handle, &own, alpha, b, &of_b, a, &of_a, beta, c, &of_c, d, &of_d, nullptr, nullptr, 0, stream);
  }
  const auto checked = check(all, *layout_a, *layout_b, *layout_c, *layout_d);
  if (noted(checked) != CUBLAS_STATUS_SUCCESS) return checked.status;
  // Documented: of narrow numbers, half or bfloat16 as C.
  if (bits_of_narrow(layout_a->type) != 0 && all.bias_type < 0)
    all.bias_type = static_cast<std::int32_t>(Type(layout_c->type) == Type::f16 ? Type::f16 : Type::bf16);
  if (layout_d->rows == 0 || layout_d->columns == 0 || layout_d->count == 0) return CUBLAS_STATUS_SUCCESS;
  if (!d || !a || !b || (checked.kind == Kind::of_blocks && !has_places(all))) return CUBLAS_STATUS_INVALID_VALUE;
  const Operand op_d(*layout_d, d, 0);
  const auto scalar = Type(all.scalar);
  Work work{all,
            checked.kind,
            checked.meaning,
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
            scalar,
            {layout_a->plane_offset, layout_b->plane_offset, layout_c->plane_offset, layout_d->plane_offset}};
  if (work.has_host_scalars) {
    work.alpha = blas::load_one<DoubleComplex>(scalar, alpha);
    work.beta = blas::load_one<DoubleComplex>(scalar, beta);
    if (work.beta != DoubleComplex{} && !c) return CUBLAS_STATUS_INVALID_VALUE;
  }
  const double elements = static_cast<double>(layout_d->rows) * static_cast<double>(layout_d->columns);
  const libraries::Cost cost{2 * elements * static_cast<double>(work.a.width()) * layout_d->count, 3 * elements,
                             pipe_of(checked.meaning, checked.kind, work.a.type)};
  const auto result =
      libraries::enqueue(*driver, stream, "cublasLtMatmul", cost, [work](Running& running) { run(work, running); });
  return result == cuda::CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace nvmlkit::cublaslt::functions
