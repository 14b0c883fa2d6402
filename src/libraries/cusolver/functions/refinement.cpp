#include "libraries/cusolver/functions/refinement.hpp"

namespace nvmlkit::cusolver::functions {
namespace {

bool is_main(cusolverPrecType_t type) {
  return type == CUSOLVER_R_64F || type == CUSOLVER_R_32F || type == CUSOLVER_C_64F || type == CUSOLVER_C_32F;
}

template <class T>
cusolverStatus_t set(RefinementSettings* settings, T RefinementSettings::*member, T value) {
  if (!is_object(settings)) return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
  settings->*member = value;
  return CUSOLVER_STATUS_SUCCESS;
}

// As in NVIDIA's library: it depends on the main precision, which comes first.
cusolverStatus_t set_a_tolerance(RefinementSettings* settings, double RefinementSettings::*member, double value) {
  if (is_object(settings) && !is_main(settings->main)) return CUSOLVER_STATUS_INVALID_VALUE;
  return set(settings, member, value);
}

cusolverStatus_t get(RefinementResults* results, int RefinementResults::*member, int* out) {
  if (!is_object(results)) return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
  return answer(out, results->*member);
}

// A type of the same kind as the main one, and no wider.
bool is_lower(cusolverPrecType_t type, cusolverPrecType_t main) {
  const bool are_complex = main >= CUSOLVER_C_8I;
  const auto base = static_cast<cusolverPrecType_t>(type - (are_complex ? CUSOLVER_C_8I - CUSOLVER_R_8I : 0));
  if (base == CUSOLVER_R_64F) return main == CUSOLVER_R_64F || main == CUSOLVER_C_64F;
  return base == CUSOLVER_R_32F || base == CUSOLVER_R_16F || base == CUSOLVER_R_16BF || base == CUSOLVER_R_TF32;
}

}  // namespace

cusolverStatus_t create_settings(RefinementSettings** out) { return create_object(out); }
cusolverStatus_t destroy_settings(RefinementSettings* settings) {
  return is_object(settings) ? destroy_object(settings) : CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
}
cusolverStatus_t set_method(RefinementSettings* settings, cusolverIRSRefinement_t method) {
  return set(settings, &RefinementSettings::method, method);
}
cusolverStatus_t set_main(RefinementSettings* settings, cusolverPrecType_t type) {
  return set(settings, &RefinementSettings::main, type);
}
cusolverStatus_t set_lowest(RefinementSettings* settings, cusolverPrecType_t type) {
  return set(settings, &RefinementSettings::lowest, type);
}
cusolverStatus_t set_both(RefinementSettings* settings, cusolverPrecType_t main, cusolverPrecType_t lowest) {
  const auto status = set_main(settings, main);
  return status == CUSOLVER_STATUS_SUCCESS ? set_lowest(settings, lowest) : status;
}
cusolverStatus_t set_refined_tolerance(RefinementSettings* settings, double tolerance) {
  return set_a_tolerance(settings, &RefinementSettings::tolerance, tolerance);
}
cusolverStatus_t set_inner_tolerance(RefinementSettings* settings, double tolerance) {
  return set_a_tolerance(settings, &RefinementSettings::inner_tolerance, tolerance);
}
cusolverStatus_t set_most_steps(RefinementSettings* settings, int most) {
  return set(settings, &RefinementSettings::most, most);
}
cusolverStatus_t set_most_inner_steps(RefinementSettings* settings, int most) {
  return set(settings, &RefinementSettings::most_inner, most);
}
cusolverStatus_t get_most_steps(RefinementSettings* settings, int* most) {
  return is_object(settings) ? answer(most, settings->most) : CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
}
cusolverStatus_t enable_fallback(RefinementSettings* settings) {
  return set(settings, &RefinementSettings::falls_back, true);
}
cusolverStatus_t disable_fallback(RefinementSettings* settings) {
  return set(settings, &RefinementSettings::falls_back, false);
}

cusolverStatus_t create_results(RefinementResults** out) { return create_object(out); }
cusolverStatus_t destroy_results(RefinementResults* results) {
  return is_object(results) ? destroy_object(results) : CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
}
cusolverStatus_t get_steps(RefinementResults* results, int* steps) {
  return get(results, &RefinementResults::steps, steps);
}
cusolverStatus_t get_outer_steps(RefinementResults* results, int* steps) {
  return get(results, &RefinementResults::steps, steps);
}
cusolverStatus_t get_allowed_steps(RefinementResults* results, int* steps) {
  return get(results, &RefinementResults::most, steps);
}
cusolverStatus_t request_residual(RefinementResults* results) {
  if (!is_object(results)) return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
  results->keeps_history = true;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t get_history(RefinementResults* results, void** history) {
  if (!is_object(results)) return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
  if (!results->keeps_history) return CUSOLVER_STATUS_INVALID_VALUE;
  const bool is_narrow = results->history.empty();
  return answer(history, is_narrow ? static_cast<void*>(results->narrow_history.data()) : results->history.data());
}

cusolverStatus_t check_settings(const RefinementSettings* settings) {
  if (!is_object(settings)) return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
  if (!is_main(settings->main) || !is_lower(settings->lowest, settings->main))
    return CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
  if (settings->method < CUSOLVER_IRS_REFINE_NONE || settings->method > CUSOLVER_IRS_REFINE_GMRES_NOPCOND)
    return CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE;
  return settings->most < 1 ? CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER : CUSOLVER_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cusolver::functions
