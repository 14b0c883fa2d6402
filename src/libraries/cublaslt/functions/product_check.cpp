#include "libraries/cublaslt/functions/product_check.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "libraries/cublaslt/operand.hpp"
#include "libraries/cublaslt/planes.hpp"
#include "libraries/cublaslt/scales.hpp"

namespace nvmlkit::cublaslt::functions {
namespace {

using blas::Type;

int capability_of_gpu() {
  const auto* const driver = libraries::driver();
  return driver ? libraries::capability(*driver) : 0;
}

// Products of int8 of tiles: those of Turing and Ampere, which Hopper no longer has.
bool is_product_of_tiles(const MatmulDescription& d, const MatrixLayout& a, const MatrixLayout& b,
                         const MatrixLayout& c, const MatrixLayout& result) {
  const bool is_of_ampere = b.order == CUBLASLT_ORDER_COL32_2R_4R4 && capability_of_gpu() >= 80;
  return has_tiled_products() && (b.order == CUBLASLT_ORDER_COL4_4R2_8C || is_of_ampere) &&
         a.order == CUBLASLT_ORDER_COL32 && c.order == CUBLASLT_ORDER_COL32 && result.order == CUBLASLT_ORDER_COL32 &&
         Type(a.type) == Type::i8 && Type(b.type) == Type::i8 && d.ta == 0 && d.tb == 1;
}

// Of rows with a conjugated matrix, when not all are rows: documented as not supported.
bool is_conjugated_in_rows(const MatmulDescription& d, const MatrixLayout& result) {
  return result.order == CUBLASLT_ORDER_ROW && blas::is_complex(Type(result.type)) && (d.ta == 2 || d.tb == 2);
}

// Scales of matrices that have none. C may have one of its own beside narrow matrices.
bool has_scales_of_wide(const MatmulDescription& d, const MatrixLayout& a, const MatrixLayout& b,
                        const MatrixLayout& result) {
  const auto is_wide = [](const MatrixLayout& l) { return bits_of_narrow(l.type) == 0; };
  return (d.a_scale && is_wide(a)) || (d.b_scale && is_wide(b)) || (d.d_scale && is_wide(result)) ||
         (d.c_scale && is_wide(a) && is_wide(b));
}

bool has_known_orders(const MatmulDescription& d, const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c,
                      const MatrixLayout& result) {
  if (is_tiled(a.order) || is_tiled(b.order) || is_tiled(c.order) || is_tiled(result.order))
    return is_product_of_tiles(d, a, b, c, result);
  if (c.order != result.order || is_conjugated_in_rows(d, result)) return false;
  return c.order == CUBLASLT_ORDER_COL || d.epilogue <= CUBLASLT_EPILOGUE_DEFAULT;
}

bool has_8_bits(const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c, const MatrixLayout& result) {
  return blas::is_of_8_bits(Type(a.type)) || blas::is_of_8_bits(Type(b.type)) || blas::is_of_8_bits(Type(c.type)) ||
         blas::is_of_8_bits(Type(result.type));
}

// Documented: from Ada on. A is transposed and B is not, but on Blackwell's GPUs of data centers.
bool is_product_of_8_bits(const MatmulDescription& d, const MatrixLayout& a, const MatrixLayout& b,
                          const MatrixLayout& c, const MatrixLayout& result) {
  const auto capability = capability_of_gpu();
  const bool is_turned = Operand(a, nullptr, d.ta).t == 'T' && Operand(b, nullptr, d.tb).t == 'N';
  return capability >= 89 && (takes_all_turns(capability) || is_turned) &&
         d.compute == static_cast<std::int32_t>(CUBLAS_COMPUTE_32F) && Type(d.scalar) == Type::f32 &&
         are_inputs_of_8_bits(a, b) && (is_wide_result(c, result) || is_result_of_8_bits(a, b, c, result)) &&
         is_aligned(a) && is_aligned(b) && is_aligned(c) && is_aligned(result);
}

// Of numbers that a product of the compute type adds up.
bool is_plain(const MatmulDescription& d, const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c,
              const MatrixLayout& result, const blas::Meaning& meaning) {
  const bool has_epilogue = d.epilogue > CUBLASLT_EPILOGUE_DEFAULT;
  const bool are_scales =
      std::all_of(std::begin(d.scale_modes), std::end(d.scale_modes), [](auto m) { return m == 0; });
  return blas::is_input_of(meaning.sum, Type(a.type)) && blas::is_input_of(meaning.sum, Type(b.type)) &&
         blas::size_of(Type(result.type)) != 0 && blas::size_of(Type(c.type)) != 0 &&
         blas::size_of(Type(d.scalar)) != 0 && are_scales &&
         (!has_epilogue || meaning.sum == blas::Sum::f32 || meaning.sum == blas::Sum::f64) &&
         a.batch_mode == b.batch_mode && a.batch_mode == c.batch_mode && a.batch_mode == result.batch_mode;
}

// What all kinds have in common.
bool is_known(const MatmulDescription& d, const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c,
              const MatrixLayout& result) {
  return has_known_orders(d, a, b, c, result) && d.tc == 0 &&
         d.pointer_mode <= static_cast<std::int32_t>(CUBLASLT_POINTER_MODE_DEVICE) && (d.epilogue & ~kEpilogues) == 0 &&
         Operand(a, nullptr, d.ta).t != '?' && Operand(b, nullptr, d.tb).t != '?';
}

bool has_sizes(const MatmulDescription& d, const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c,
               const MatrixLayout& result) {
  const Operand op_a(a, nullptr, d.ta), op_b(b, nullptr, d.tb);
  const auto m = static_cast<std::int64_t>(result.rows), n = static_cast<std::int64_t>(result.columns);
  const auto is_leading = [](const MatrixLayout& l) {
    return l.ld >= least_ld(Shape(l)) && l.ld <= std::numeric_limits<int>::max();
  };
  const bool is_repeated = c.ld == 0 && !is_tiled(c.order);  // documented: one line of C for all
  return op_a.height() == m && op_b.width() == n && op_a.width() == op_b.height() && c.rows == result.rows &&
         c.columns == result.columns && is_leading(a) && is_leading(b) && (is_leading(c) || is_repeated) &&
         is_leading(result) && a.count == result.count && b.count == result.count;
}

}  // namespace

bool is_conjugated_in_rows_alone(const MatmulDescription& d, const MatrixLayout& a, const MatrixLayout& b,
                                 const MatrixLayout& c, const MatrixLayout& result) {
  const auto is_of_rows = [](const MatrixLayout& l) { return l.order == CUBLASLT_ORDER_ROW; };
  return is_conjugated_in_rows(d, result) && is_of_rows(a) && is_of_rows(b) && is_of_rows(c);
}

MatrixLayout turned(MatrixLayout layout) {
  layout.order = CUBLASLT_ORDER_COL;
  std::swap(layout.rows, layout.columns);
  return layout;
}
MatmulDescription turned(const MatmulDescription& description) {
  auto out = whole(description);
  std::swap(out.ta, out.tb);
  std::swap(out.a_scale, out.b_scale);
  return out;
}

Checked check(const MatmulDescription& d, const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c,
              const MatrixLayout& result) {
  if (is_conjugated_in_rows_alone(d, a, b, c, result))
    return check(turned(d), turned(b), turned(a), turned(c), turned(result));
  Checked out;
  const bool has_tf32 = libraries::rounds_to_tf32(capability_of_gpu());
  if (!blas::meaning_of(d.compute, Type(result.type), has_tf32, out.meaning) || !is_known(d, a, b, c, result))
    return out;
  if (has_scales_of_blocks(d)) {
    out.kind = Kind::of_blocks;
    out.is_of_others = !has_modes(d, capability_of_gpu()) && (has_modes(d, 90) || has_modes(d, 100));
    out.status = check_scales(d, a, b, c, result, capability_of_gpu());
  } else if (has_planes(a, b, c, result)) {
    out.kind = Kind::of_planes;
    out.status = check_planes(d, a, b, c, result);
  } else if (has_8_bits(a, b, c, result) && !is_product_of_8_bits(d, a, b, c, result)) {
    out.is_of_others = are_inputs_of_8_bits(a, b) && capability_of_gpu() < 89;
  } else if (is_plain(d, a, b, c, result, out.meaning)) {
    out.status = CUBLAS_STATUS_SUCCESS;
  }
  if (out.status == CUBLAS_STATUS_SUCCESS && (!has_sizes(d, a, b, c, result) || has_scales_of_wide(d, a, b, result)))
    out.status = CUBLAS_STATUS_INVALID_VALUE;
  return out;
}

cublasStatus_t noted(const Checked& checked) {
  if (checked.is_of_others) {
    [[maybe_unused]] static const int kSaid =
        std::fputs("nvmlkit: cublasLtMatmul: this GPU has no products of such numbers\n", stderr);
  } else if (checked.status == CUBLAS_STATUS_NOT_SUPPORTED) {
    libraries::note_unsupported("cublasLtMatmul", "with this description");
  }
  return checked.status;
}

bool has_tiled_products() {
  const auto capability = capability_of_gpu();
  return capability >= 75 && capability < 90;
}

}  // namespace nvmlkit::cublaslt::functions
