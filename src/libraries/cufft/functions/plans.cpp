#include "libraries/cufft/functions/plans.hpp"

#include "libraries/cufft/functions/request.hpp"
#include "libraries/cufft/functions/sizes.hpp"

namespace nvmlkit::cufft::functions {
namespace {

cufftResult give_layout(Plan& plan, const Request& request) {
  if (plan.layout()) return CUFFT_INVALID_PLAN;  // a plan is made once
  std::optional<Layout> layout;
  if (const auto result = Layout::make(request, layout); result != CUFFT_SUCCESS) return result;
  return plan.set_layout(*layout);
}

// NVIDIA's library looks at the types and at the number of dimensions before it looks at the handle.
auto maker(Handle handle, std::size_t* work) {
  return [handle, work](const Request& request) {
    const auto plan = find_plan(handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    const auto result = give_layout(*plan, request);
    if (result == CUFFT_SUCCESS) put_sizes(work, plan->gpu_count(), plan->spread());
    return result;
  };
}

// A handle and its plan in one call.
auto planner(Handle* handle) {
  return [handle](const Request& request) {
    Handle made = 0;
    if (const auto result = create(&made); result != CUFFT_SUCCESS) return result;
    const auto result = give_layout(*find_plan(made), request);
    if (result == CUFFT_SUCCESS)
      *handle = made;
    else
      remove_plan(made);
    return result;
  };
}

}  // namespace

cufftResult create(Handle* handle) {
  if (!handle) return CUFFT_INVALID_VALUE;
  const auto* const driver = libraries::driver();
  if (!driver || libraries::ensure_context(*driver) != cuda::CUDA_SUCCESS) return CUFFT_SETUP_FAILED;
  *handle = add_plan();
  return CUFFT_SUCCESS;
}

cufftResult destroy(const Call& call) { return remove_plan(call.handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }

cufftResult plan_1d(Handle* handle, int nx, cufftType type, int batch) {
  return with_sizes({nx}, type, batch, planner(handle));
}
cufftResult plan_2d(Handle* handle, int nx, int ny, cufftType type) {
  return with_sizes({nx, ny}, type, 1, planner(handle));
}
cufftResult plan_3d(Handle* handle, int nx, int ny, int nz, cufftType type) {
  return with_sizes({nx, ny, nz}, type, 1, planner(handle));
}
cufftResult plan_many(Handle* handle, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                      int odist, cufftType type, int batch) {
  return with_many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, planner(handle));
}

cufftResult make_1d(Handle handle, int nx, cufftType type, int batch, std::size_t* work) {
  if (!work) return CUFFT_INVALID_VALUE;
  return with_sizes({nx}, type, batch, maker(handle, work));
}
cufftResult make_2d(Handle handle, int nx, int ny, cufftType type, std::size_t* work) {
  if (!work) return CUFFT_INVALID_VALUE;
  return with_sizes({nx, ny}, type, 1, maker(handle, work));
}
cufftResult make_3d(Handle handle, int nx, int ny, int nz, cufftType type, std::size_t* work) {
  if (!work) return CUFFT_INVALID_VALUE;
  return with_sizes({nx, ny, nz}, type, 1, maker(handle, work));
}
cufftResult make_many(Handle handle, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                      int odist, cufftType type, int batch, std::size_t* work) {
  if (!work) return CUFFT_INVALID_VALUE;
  return with_many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, maker(handle, work));
}
cufftResult make_many_64(Handle handle, int rank, long long* n, long long* inembed, long long istride, long long idist,
                         long long* onembed, long long ostride, long long odist, cufftType type, long long batch,
                         std::size_t* work) {
  if (!work) return CUFFT_INVALID_VALUE;
  return with_many(rank, n, Side{inembed, istride, idist}, Side{onembed, ostride, odist}, type, batch,
                   maker(handle, work));
}
cufftResult make_typed(Handle handle, int rank, long long* n, long long* inembed, long long istride, long long idist,
                       cudaDataType in, long long* onembed, long long ostride, long long odist, cudaDataType out,
                       long long batch, std::size_t* work, cudaDataType execution) {
  if (!work) return CUFFT_INVALID_VALUE;
  return with_types(rank, n, Side{inembed, istride, idist, in}, Side{onembed, ostride, odist, out}, batch, execution,
                    maker(handle, work));
}

}  // namespace nvmlkit::cufft::functions
