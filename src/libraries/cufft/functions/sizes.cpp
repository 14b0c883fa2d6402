#include "libraries/cufft/functions/sizes.hpp"

#include <algorithm>

#include "libraries/cufft/functions/request.hpp"

namespace nvmlkit::cufft::functions {
namespace {

// The size of a plan that could be made, and, for a handle, whether there is a plan to make.
auto sizer(std::size_t* work, std::optional<Handle> handle = std::nullopt) {
  return [work, handle](const Request& request) {
    const auto plan = handle ? find_plan(*handle) : nullptr;
    if (handle && !plan) return CUFFT_INVALID_PLAN;
    std::optional<Layout> layout;
    std::optional<Spread> spread;
    auto result = Layout::make(request, layout);
    if (result == CUFFT_SUCCESS && plan && plan->gpus()) result = Spread::make(*layout, plan->gpus()->count(), spread);
    if (result == CUFFT_SUCCESS) put_sizes(work, plan ? plan->gpu_count() : 1, spread);
    return result;
  };
}

}  // namespace

void put_sizes(std::size_t* work, std::size_t gpus, const std::optional<Spread>& spread) {
  for (std::size_t g = 0; g < gpus; ++g) {
    const auto bytes = [&](cufftXtSubFormat format) { return spread ? spread->bytes(format, static_cast<int>(g)) : 0; };
    work[g] = std::max(bytes(CUFFT_XT_FORMAT_INPLACE), bytes(CUFFT_XT_FORMAT_INPLACE_SHUFFLED));
  }
}

cufftResult estimate_1d(int nx, cufftType type, int batch, std::size_t* work) {
  if (!work) return CUFFT_INVALID_VALUE;
  return with_sizes({nx}, type, batch, sizer(work));
}
cufftResult estimate_2d(int nx, int ny, cufftType type, std::size_t* work) {
  if (!work) return CUFFT_INVALID_VALUE;
  return with_sizes({nx, ny}, type, 1, sizer(work));
}
cufftResult estimate_3d(int nx, int ny, int nz, cufftType type, std::size_t* work) {
  if (!work) return CUFFT_INVALID_VALUE;
  return with_sizes({nx, ny, nz}, type, 1, sizer(work));
}
cufftResult estimate_many(int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride, int odist,
                          cufftType type, int batch, std::size_t* work) {
  if (!work) return CUFFT_INVALID_VALUE;
  return with_many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, sizer(work));
}

cufftResult size(Handle handle, std::size_t* work) {
  if (!work) return CUFFT_INVALID_VALUE;
  const auto plan = find_plan(handle);
  if (!plan || !plan->layout()) return CUFFT_INVALID_PLAN;
  put_sizes(work, plan->gpu_count(), plan->spread());
  return CUFFT_SUCCESS;
}
cufftResult size_1d(Handle handle, int nx, cufftType type, int batch, std::size_t* work) {
  return work ? with_sizes({nx}, type, batch, sizer(work, handle)) : CUFFT_INVALID_VALUE;
}
cufftResult size_2d(Handle handle, int nx, int ny, cufftType type, std::size_t* work) {
  return work ? with_sizes({nx, ny}, type, 1, sizer(work, handle)) : CUFFT_INVALID_VALUE;
}
cufftResult size_3d(Handle handle, int nx, int ny, int nz, cufftType type, std::size_t* work) {
  return work ? with_sizes({nx, ny, nz}, type, 1, sizer(work, handle)) : CUFFT_INVALID_VALUE;
}
cufftResult size_many(Handle handle, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                      int odist, cufftType type, int batch, std::size_t* work) {
  if (!work) return CUFFT_INVALID_VALUE;
  return with_many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, sizer(work, handle));
}
cufftResult size_many_64(Handle handle, int rank, long long* n, long long* inembed, long long istride, long long idist,
                         long long* onembed, long long ostride, long long odist, cufftType type, long long batch,
                         std::size_t* work) {
  if (!work) return CUFFT_INVALID_VALUE;
  return with_many(rank, n, Side{inembed, istride, idist}, Side{onembed, ostride, odist}, type, batch,
                   sizer(work, handle));
}
cufftResult size_typed(Handle handle, int rank, long long* n, long long* inembed, long long istride, long long idist,
                       cudaDataType in, long long* onembed, long long ostride, long long odist, cudaDataType out,
                       long long batch, std::size_t* work, cudaDataType execution) {
  if (!work) return CUFFT_INVALID_VALUE;
  return with_types(rank, n, Side{inembed, istride, idist, in}, Side{onembed, ostride, odist, out}, batch, execution,
                    sizer(work, handle));
}

cufftResult set_work_area(const Call& call, void*) { return call.plan.gpus() ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS; }
cufftResult set_work_areas(Handle handle, void** areas) {
  const auto plan = find_plan(handle);
  if (!areas) return plan && plan->gpus() ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
  return plan ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

// As NVIDIA's library: neither depends on the transform.
cufftResult set_auto_allocation(const Call&, int) { return CUFFT_SUCCESS; }
cufftResult set_work_area_policy(const Call& call, cufftXtWorkAreaPolicy, std::size_t* work) {
  if (call.plan.gpus()) return CUFFT_INVALID_PLAN;
  if (work) *work = 0;
  return CUFFT_SUCCESS;
}

}  // namespace nvmlkit::cufft::functions
