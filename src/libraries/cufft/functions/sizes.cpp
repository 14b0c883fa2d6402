#include "libraries/cufft/functions/sizes.hpp"

#include "libraries/cufft/functions/request.hpp"

namespace nvmlkit::cufft::functions {
namespace {

// The size of a plan that could be made.
auto sizer(std::size_t* work) {
  return [work](const Request& request) {
    if (!work) return CUFFT_INVALID_VALUE;
    std::optional<Layout> layout;
    const auto result = Layout::make(request, layout);
    if (result == CUFFT_SUCCESS) *work = 0;
    return result;
  };
}

}  // namespace

cufftResult estimate_1d(int nx, cufftType type, int batch, std::size_t* work) {
  return with_sizes({nx}, type, batch, sizer(work));
}
cufftResult estimate_2d(int nx, int ny, cufftType type, std::size_t* work) {
  return with_sizes({nx, ny}, type, 1, sizer(work));
}
cufftResult estimate_3d(int nx, int ny, int nz, cufftType type, std::size_t* work) {
  return with_sizes({nx, ny, nz}, type, 1, sizer(work));
}
cufftResult estimate_many(int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride, int odist,
                          cufftType type, int batch, std::size_t* work) {
  return with_many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, sizer(work));
}

cufftResult size(const Call& call, std::size_t* work) {
  if (!call.plan.layout()) return CUFFT_INVALID_PLAN;
  if (!work) return CUFFT_INVALID_VALUE;
  *work = 0;
  return CUFFT_SUCCESS;
}
cufftResult size_1d(const Call&, int nx, cufftType type, int batch, std::size_t* work) {
  return estimate_1d(nx, type, batch, work);
}
cufftResult size_2d(const Call&, int nx, int ny, cufftType type, std::size_t* work) {
  return estimate_2d(nx, ny, type, work);
}
cufftResult size_3d(const Call&, int nx, int ny, int nz, cufftType type, std::size_t* work) {
  return estimate_3d(nx, ny, nz, type, work);
}
cufftResult size_many(const Call&, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                      int odist, cufftType type, int batch, std::size_t* work) {
  return estimate_many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, work);
}
cufftResult size_many_64(const Call&, int rank, long long* n, long long* inembed, long long istride, long long idist,
                         long long* onembed, long long ostride, long long odist, cufftType type, long long batch,
                         std::size_t* work) {
  return with_many(rank, n, Side{inembed, istride, idist}, Side{onembed, ostride, odist}, type, batch, sizer(work));
}
cufftResult size_typed(const Call&, int rank, long long* n, long long* inembed, long long istride, long long idist,
                       cudaDataType in, long long* onembed, long long ostride, long long odist, cudaDataType out,
                       long long batch, std::size_t* work, cudaDataType execution) {
  return with_types(rank, n, Side{inembed, istride, idist, in}, Side{onembed, ostride, odist, out}, batch, execution,
                    sizer(work));
}

cufftResult set_work_area(const Call&, void*) { return CUFFT_SUCCESS; }

// Only before the plan is made.
cufftResult set_auto_allocation(const Call& call, int) {
  return call.plan.layout() ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
}

cufftResult set_work_area_policy(const Call& call, cufftXtWorkAreaPolicy policy, std::size_t* work) {
  if (policy != CUFFT_WORKAREA_MINIMAL && policy != CUFFT_WORKAREA_USER && policy != CUFFT_WORKAREA_PERFORMANCE)
    return CUFFT_INVALID_VALUE;
  return size(call, work);
}

}  // namespace nvmlkit::cufft::functions
