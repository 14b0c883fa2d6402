// How systems of equations are solved by factors of a lower precision and refined: settings and results that programs
// hold.
#pragma once

#include "libraries/cusolver/functions/objects.hpp"

namespace nvmlkit::cusolver::functions {

cusolverStatus_t create_settings(RefinementSettings** out);
cusolverStatus_t destroy_settings(RefinementSettings* settings);
cusolverStatus_t set_method(RefinementSettings* settings, cusolverIRSRefinement_t method);
cusolverStatus_t set_main(RefinementSettings* settings, cusolverPrecType_t type);
cusolverStatus_t set_lowest(RefinementSettings* settings, cusolverPrecType_t type);
cusolverStatus_t set_both(RefinementSettings* settings, cusolverPrecType_t main, cusolverPrecType_t lowest);
cusolverStatus_t set_refined_tolerance(RefinementSettings* settings, double tolerance);
cusolverStatus_t set_inner_tolerance(RefinementSettings* settings, double tolerance);
cusolverStatus_t set_most_steps(RefinementSettings* settings, int most);
cusolverStatus_t set_most_inner_steps(RefinementSettings* settings, int most);
cusolverStatus_t get_most_steps(RefinementSettings* settings, int* most);
cusolverStatus_t enable_fallback(RefinementSettings* settings);
cusolverStatus_t disable_fallback(RefinementSettings* settings);

cusolverStatus_t create_results(RefinementResults** out);
cusolverStatus_t destroy_results(RefinementResults* results);
cusolverStatus_t get_steps(RefinementResults* results, int* steps);
cusolverStatus_t get_outer_steps(RefinementResults* results, int* steps);
cusolverStatus_t get_allowed_steps(RefinementResults* results, int* steps);
cusolverStatus_t request_residual(RefinementResults* results);
// In memory of the host, which lives as long as the results.
cusolverStatus_t get_history(RefinementResults* results, void** history);

// CUSOLVER_STATUS_SUCCESS, or what is wrong with settings that a solver is given.
cusolverStatus_t check_settings(const RefinementSettings* settings);

}  // namespace nvmlkit::cusolver::functions
