#include "libraries/cublaslt/functions/descriptions.hpp"

#include "libraries/cublaslt/functions/attributes.hpp"

namespace nvmlkit::cublaslt::functions {
namespace {

Member find(MatrixLayout& l, cublasLtMatrixLayoutAttribute_t which) {
  switch (which) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return member(l.type);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return member(l.order);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return member(l.rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return member(l.columns);
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return member(l.ld);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return member(l.count);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return member(l.stride);
    case CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET:
      return member(l.plane_offset);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_MODE:
      return member(l.batch_mode);
  }
  return {};
}

Member find(MatmulDescription& d, cublasLtMatmulDescAttributes_t which) {
  const bool is_behind =
      which == CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER || which == CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR;
  if (is_behind && d.is_short) return {};
  switch (which) {
#define NVMLKIT_MEMBER(name, place) \
  case CUBLASLT_MATMUL_DESC_##name: \
    return member(d.place);
    NVMLKIT_MEMBER(COMPUTE_TYPE, compute)
    NVMLKIT_MEMBER(SCALE_TYPE, scalar)
    NVMLKIT_MEMBER(POINTER_MODE, pointer_mode)
    NVMLKIT_MEMBER(TRANSA, ta)
    NVMLKIT_MEMBER(TRANSB, tb)
    NVMLKIT_MEMBER(TRANSC, tc)
    NVMLKIT_MEMBER(FILL_MODE, fill)
    NVMLKIT_MEMBER(EPILOGUE, epilogue)
    NVMLKIT_MEMBER(BIAS_POINTER, bias)
    NVMLKIT_MEMBER(BIAS_BATCH_STRIDE, bias_stride)
    NVMLKIT_MEMBER(EPILOGUE_AUX_POINTER, aux)
    NVMLKIT_MEMBER(EPILOGUE_AUX_LD, aux_ld)
    NVMLKIT_MEMBER(EPILOGUE_AUX_BATCH_STRIDE, aux_stride)
    NVMLKIT_MEMBER(ALPHA_VECTOR_BATCH_STRIDE, alpha_stride)
    NVMLKIT_MEMBER(SM_COUNT_TARGET, multiprocessors)
    NVMLKIT_MEMBER(A_SCALE_POINTER, a_scale)
    NVMLKIT_MEMBER(B_SCALE_POINTER, b_scale)
    NVMLKIT_MEMBER(C_SCALE_POINTER, c_scale)
    NVMLKIT_MEMBER(D_SCALE_POINTER, d_scale)
    NVMLKIT_MEMBER(AMAX_D_POINTER, amax)
    NVMLKIT_MEMBER(EPILOGUE_AUX_DATA_TYPE, aux_type)
    NVMLKIT_MEMBER(EPILOGUE_AUX_SCALE_POINTER, aux_scale)
    NVMLKIT_MEMBER(EPILOGUE_AUX_AMAX_POINTER, aux_amax)
    NVMLKIT_MEMBER(FAST_ACCUM, fast_sums)
    NVMLKIT_MEMBER(BIAS_DATA_TYPE, bias_type)
    NVMLKIT_MEMBER(A_SCALE_MODE, scale_modes[0])
    NVMLKIT_MEMBER(B_SCALE_MODE, scale_modes[1])
    NVMLKIT_MEMBER(C_SCALE_MODE, scale_modes[2])
    NVMLKIT_MEMBER(D_SCALE_MODE, scale_modes[3])
    NVMLKIT_MEMBER(EPILOGUE_AUX_SCALE_MODE, scale_modes[4])
    NVMLKIT_MEMBER(D_OUT_SCALE_POINTER, d_out_scale)
    NVMLKIT_MEMBER(D_OUT_SCALE_MODE, scale_modes[5])
    NVMLKIT_MEMBER(EMULATION_DESCRIPTOR, emulation)
#undef NVMLKIT_MEMBER
  }
  return {};
}

Member find(Preference& p, cublasLtMatmulPreferenceAttributes_t which) {
  switch (which) {
    case CUBLASLT_MATMUL_PREF_SEARCH_MODE:
      return member(p.search);
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return member(p.workspace);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return member(p.reductions);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      return member(p.alignments[0]);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      return member(p.alignments[1]);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      return member(p.alignments[2]);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return member(p.alignments[3]);
    case CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT:
      return member(p.waves);
    case CUBLASLT_MATMUL_PREF_IMPL_MASK:
      return member(p.implementations);
  }
  return {};
}

MatrixLayout layout_of(cudaDataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t ld) {
  MatrixLayout out;
  out.type = static_cast<std::int32_t>(type);
  out.rows = rows;
  out.columns = columns;
  out.ld = ld;
  return out;
}
MatmulDescription description_of(cublasComputeType_t compute, cudaDataType scalar) {
  MatmulDescription out;
  out.compute = static_cast<std::int32_t>(compute);
  out.scalar = static_cast<std::int32_t>(scalar);
  return out;
}

}  // namespace

cublasStatus_t create_layout(MatrixLayout** out, cudaDataType type, std::uint64_t rows, std::uint64_t columns,
                             std::int64_t ld) {
  return make(out, layout_of(type, rows, columns, ld));
}
cublasStatus_t init_layout(MatrixLayout* out, std::size_t size, cudaDataType type, std::uint64_t rows,
                           std::uint64_t columns, std::int64_t ld) {
  return init(out, size, layout_of(type, rows, columns, ld));
}
cublasStatus_t create_description(MatmulDescription** out, cublasComputeType_t compute, cudaDataType scalar) {
  return make(out, description_of(compute, scalar));
}
cublasStatus_t init_description(MatmulDescription* out, std::size_t size, cublasComputeType_t compute,
                                cudaDataType scalar) {
  auto made = description_of(compute, scalar);
  if (!out || size >= sizeof made || size < made.kShort) return init(out, size, made);
  made.is_short = true;
  std::memcpy(static_cast<void*>(out), &made, made.kShort);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t create_preference(Preference** out) { return make(out, Preference{}); }
cublasStatus_t init_preference(Preference* out, std::size_t size) { return init(out, size, Preference{}); }

#define NVMLKIT_ATTRIBUTES(Description, Which)                                                                     \
  cublasStatus_t set_attribute(Description* d, Which which, const void* value, std::size_t size) {                 \
    return set_member(d ? find(*d, which) : Member{}, value, size);                                                \
  }                                                                                                                \
  cublasStatus_t get_attribute(Description* d, Which which, void* value, std::size_t size, std::size_t* written) { \
    return get_member(d ? find(*d, which) : Member{}, value, size, written);                                       \
  }
NVMLKIT_ATTRIBUTES(MatrixLayout, cublasLtMatrixLayoutAttribute_t)
NVMLKIT_ATTRIBUTES(MatmulDescription, cublasLtMatmulDescAttributes_t)
NVMLKIT_ATTRIBUTES(Preference, cublasLtMatmulPreferenceAttributes_t)
#undef NVMLKIT_ATTRIBUTES

}  // namespace nvmlkit::cublaslt::functions
