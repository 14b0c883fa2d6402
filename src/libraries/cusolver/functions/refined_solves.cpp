#include "libraries/cusolver/functions/refined_solves.hpp"

namespace nvmlkit::cusolver::functions {
namespace {

// work(T{}) of the main precision; the settings are right.
template <class Work>
cusolverStatus_t for_main(const RefinementSettings& settings, Work work) {
  switch (settings.main) {
    case CUSOLVER_R_64F:
      return work(double{});
    case CUSOLVER_R_32F:
      return work(float{});
    case CUSOLVER_C_64F:
      return work(DoubleComplex{});
    default:
      return work(Complex{});
  }
}

Lower lower_of(const RefinementSettings& settings) {
  if (settings.lowest == settings.main || settings.method == CUSOLVER_IRS_REFINE_NONE) return Lower::none;
  switch (settings.lowest) {
    case CUSOLVER_R_16F:
    case CUSOLVER_C_16F:
      return Lower::f16;
    case CUSOLVER_R_16BF:
    case CUSOLVER_C_16BF:
      return Lower::bf16;
    case CUSOLVER_R_TF32:
    case CUSOLVER_C_TF32:
      return Lower::tf32;
    default:
      return Lower::f32;
  }
}

cusolverStatus_t check(const RefinementSettings* settings, const RefinementResults* results) {
  if (const auto status = check_settings(settings); status != CUSOLVER_STATUS_SUCCESS) return status;
  return is_object(results) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
}

}  // namespace

cusolverStatus_t xgesv(const Call& call, RefinementSettings* settings, RefinementResults* results, int n, int columns,
                       void* a, int lda, void* b, int ldb, void* x, int ldx, void*, std::size_t, int* steps,
                       int* info) {
  if (const auto status = check(settings, results); status != CUSOLVER_STATUS_SUCCESS) return status;
  const Refinement how{lower_of(*settings), settings->most, settings->tolerance, settings->falls_back};
  return for_main(*settings, [&](auto number) {
    using T = decltype(number);
    return solve_refined(call, how, results, n, columns, static_cast<T*>(a), lda, nullptr, static_cast<T*>(b), ldb,
                         static_cast<T*>(x), ldx, steps, info);
  });
}
cusolverStatus_t xgesv_size(const Call&, RefinementSettings* settings, int n, int columns, std::size_t* bytes) {
  const auto status = check_settings(settings);
  return status == CUSOLVER_STATUS_SUCCESS ? tell_bytes(bytes, n, std::int64_t{n} + columns, n >= 0 && columns >= 0)
                                           : status;
}

cusolverStatus_t xgels(const Call& call, RefinementSettings* settings, RefinementResults* results, int m, int n,
                       int columns, void* a, int lda, void* b, int ldb, void* x, int ldx, void*, std::size_t,
                       int* steps, int* info) {
  if (const auto status = check(settings, results); status != CUSOLVER_STATUS_SUCCESS) return status;
  return for_main(*settings, [&](auto number) {
    using T = decltype(number);
    return solve_least_squares(call, results, settings->most, m, n, columns, static_cast<T*>(a), lda,
                               static_cast<T*>(b), ldb, static_cast<T*>(x), ldx, steps, info);
  });
}
cusolverStatus_t xgels_size(const Call&, RefinementSettings* settings, int m, int n, int columns, std::size_t* bytes) {
  const auto status = check_settings(settings);
  return status == CUSOLVER_STATUS_SUCCESS
             ? tell_bytes(bytes, m, std::int64_t{n} + columns, n >= 0 && m >= n && columns >= 0)
             : status;
}

}  // namespace nvmlkit::cusolver::functions
