#include "libraries/cublaslt/functions/algorithms.hpp"

#include "libraries/cublaslt/functions/attributes.hpp"
#include "libraries/cublaslt/functions/product_check.hpp"

namespace nvmlkit::cublaslt::functions {
namespace {

using blas::Type;

Algorithm algorithm_for(std::int32_t compute, std::int32_t input) {
  Algorithm out;
  out.compute = compute;
  out.input = input;
  return out;
}

// CUBLASLT_NUMERICAL_IMPL_FLAGS_*: macros of the header.
struct Numerics {
  static constexpr std::uint64_t kFma = 1, kHmma = 2, kImma = 4, kDmma = 8;
  static constexpr std::uint64_t kSumsF16 = 1 << 8, kSumsF32 = 2 << 8, kSumsF64 = 4 << 8, kSumsI32 = 8 << 8;
  static constexpr std::uint64_t kInputF16 = 1 << 16, kInputBf16 = 2 << 16, kInputTf32 = 4 << 16, kInputF32 = 8 << 16,
                                 kInputF64 = 16 << 16, kInputI8 = 32 << 16, kInputE4m3 = 64 << 16,
                                 kInputE5m2 = 128 << 16;

  static std::uint64_t of_input(Type type, bool rounds_to_tf32) {
    switch (type) {
      case Type::f16:
      case Type::c16:
        return kHmma | kInputF16;
      case Type::bf16:
      case Type::cbf16:
        return kHmma | kInputBf16;
      case Type::e4m3:
        return kHmma | kInputE4m3;
      case Type::e5m2:
        return kHmma | kInputE5m2;
      case Type::i8:
        return kImma | kInputI8;
      case Type::f64:
      case Type::c64:
        return kDmma | kInputF64;
      default:
        return rounds_to_tf32 ? kHmma | kInputTf32 : kFma | kInputF32;
    }
  }
  static std::uint64_t of(const Algorithm& a) {
    const auto input = of_input(Type(a.input), a.compute == static_cast<std::int32_t>(CUBLAS_COMPUTE_32F_FAST_TF32));
    switch (static_cast<cublasComputeType_t>(a.compute)) {
      case CUBLAS_COMPUTE_16F:
      case CUBLAS_COMPUTE_16F_PEDANTIC:
        return input | kSumsF16;
      case CUBLAS_COMPUTE_64F:
      case CUBLAS_COMPUTE_64F_PEDANTIC:
      case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        return input | kSumsF64;
      case CUBLAS_COMPUTE_32I:
      case CUBLAS_COMPUTE_32I_PEDANTIC:
        return input | kSumsI32;
      default:
        return input | kSumsF32;
    }
  }
};

// What the one algorithm can do. A list has the one number that stands for "any".
struct Capability {
  std::uint64_t value;
  std::size_t size;
};
Capability capability_of(const Algorithm& a, cublasLtMatmulAlgoCapAttributes_t which) {
  switch (which) {
    case CUBLASLT_ALGO_CAP_SPLITK_SUPPORT:
    case CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT:
    case CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT:
    case CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT:
    case CUBLASLT_ALGO_CAP_POINTER_ARRAY_BATCH_SUPPORT:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES:
      return {1, 4};
    case CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK:
      return {7, 4};
    case CUBLASLT_ALGO_CAP_POINTER_MODE_MASK:
      return {3, 4};  // of the host, of the device
    case CUBLASLT_ALGO_CAP_EPILOGUE_MASK:
      return {kEpilogues, 4};
    case CUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER:
      return {a.compute == static_cast<std::int32_t>(CUBLAS_COMPUTE_32I) && has_tiled_products() ? 1u : 0u, 4};
    case CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS:
      return {Numerics::of(a), 8};
    case CUBLASLT_ALGO_CAP_UPLO_SUPPORT:
    case CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX:
    case CUBLASLT_ALGO_CAP_LD_NEGATIVE:
    case CUBLASLT_ALGO_CAP_FLOATING_POINT_EMULATION_SUPPORT:
    case CUBLASLT_ALGO_CAP_TILE_IDS:
    case CUBLASLT_ALGO_CAP_STAGES_IDS:
      return {0, 4};
  }
  return {0, 0};
}

Member find(Algorithm& a, cublasLtMatmulAlgoConfigAttributes_t which) {
  switch (which) {
    case CUBLASLT_ALGO_CONFIG_ID:
      return member(a.number);
    case CUBLASLT_ALGO_CONFIG_TILE_ID:
      return member(a.tile);
    case CUBLASLT_ALGO_CONFIG_SPLITK_NUM:
      return member(a.splits);
    case CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME:
      return member(a.reduction);
    case CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING:
      return member(a.swizzling);
    case CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION:
      return member(a.option);
    case CUBLASLT_ALGO_CONFIG_STAGES_ID:
      return member(a.stages);
    case CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID:
      return member(a.inner_shape);
    case CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID:
      return member(a.cluster_shape);
  }
  return {};
}

// Programs keep numbers of algorithms of NVIDIA's library that they measured, and make those without asking for a list.
constexpr int kLargestNumber = 127;

// What a heuristic finds; `checked` of the product.
cublasStatus_t check_for(Handle* handle, MatmulDescription* description, MatrixLayout* a, MatrixLayout* b,
                         MatrixLayout* c, MatrixLayout* d, HeuristicResult* result, Checked& checked) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!description || !a || !b || !c || !d || !result) return CUBLAS_STATUS_INVALID_VALUE;
  checked = check(whole(*description), *a, *b, *c, *d);
  const auto algorithm = result->algorithm;  // documented: never updated
  *result = {};
  result->algorithm = algorithm;
  result->state = checked.status;
  result->waves = 1;
  return checked.status;
}

}  // namespace

cublasStatus_t check_algorithm(Handle* handle, MatmulDescription* description, MatrixLayout* a, MatrixLayout* b,
                               MatrixLayout* c, MatrixLayout* d, const Algorithm*, HeuristicResult* result) {
  Checked checked;
  return check_for(handle, description, a, b, c, d, result, checked);
}

cublasStatus_t find_algorithms(Handle* handle, MatmulDescription* description, MatrixLayout* a, MatrixLayout* b,
                               MatrixLayout* c, MatrixLayout* d, Preference*, int most, HeuristicResult* results,
                               int* count) {
  if (!results || !count || most < 1) return CUBLAS_STATUS_INVALID_VALUE;
  *count = 0;
  Checked checked;
  const auto status = check_for(handle, description, a, b, c, d, results, checked);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return noted(checked);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  results->algorithm = algorithm_for(description->compute, a->type);
  *count = 1;
  return status;
}

cublasStatus_t algorithm_numbers(Handle* handle, cublasComputeType_t, cudaDataType, cudaDataType, cudaDataType,
                                 cudaDataType, cudaDataType, int most, int* numbers, int* count) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (most < 0 || (most > 0 && (!numbers || !count))) return CUBLAS_STATUS_INVALID_VALUE;
  if (most > 0) numbers[0] = 0;
  if (count) *count = most > 0;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t make_algorithm(Handle* handle, cublasComputeType_t compute, cudaDataType, cudaDataType a, cudaDataType,
                              cudaDataType, cudaDataType, int number, Algorithm* out) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!out || number < 0 || number > kLargestNumber) return CUBLAS_STATUS_INVALID_VALUE;
  *out = algorithm_for(static_cast<std::int32_t>(compute), static_cast<std::int32_t>(a));
  out->number = number;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t get_capability(const Algorithm* algorithm, cublasLtMatmulAlgoCapAttributes_t which, void* value,
                              std::size_t size, std::size_t* written) {
  if (!algorithm || algorithm->compute == 0) return CUBLAS_STATUS_INVALID_VALUE;
  auto found = capability_of(*algorithm, which);
  if (found.size == 0) return CUBLAS_STATUS_INVALID_VALUE;
  const bool is_list = which == CUBLASLT_ALGO_CAP_TILE_IDS || which == CUBLASLT_ALGO_CAP_STAGES_IDS;
  const auto taken = is_list && size > found.size ? found.size : size;
  return get_member({&found.value, found.size}, value, taken, written);
}

cublasStatus_t set_configuration(Algorithm* algorithm, cublasLtMatmulAlgoConfigAttributes_t which, const void* value,
                                 std::size_t size) {
  if (!algorithm || which == CUBLASLT_ALGO_CONFIG_ID) return CUBLAS_STATUS_INVALID_VALUE;
  return set_member(find(*algorithm, which), value, size);
}

cublasStatus_t get_configuration(const Algorithm* algorithm, cublasLtMatmulAlgoConfigAttributes_t which, void* value,
                                 std::size_t size, std::size_t* written) {
  if (!algorithm) return CUBLAS_STATUS_INVALID_VALUE;
  auto copy = *algorithm;
  return get_member(find(copy, which), value, size, written);
}

}  // namespace nvmlkit::cublaslt::functions
