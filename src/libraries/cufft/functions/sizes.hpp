// The work area of a plan. FFTW keeps its memory itself: the size is 0, and any area is right. Of several GPUs, each
// asks for as much as it has of the numbers: programs expect an area of each.
#pragma once

#include <cstddef>

#include "libraries/cufft/call.hpp"

namespace nvmlkit::cufft::functions {

// One size for each of `gpus`. `spread`: of a plan with several.
void put_sizes(std::size_t* work, std::size_t gpus, const std::optional<Spread>& spread);

cufftResult estimate_1d(int nx, cufftType type, int batch, std::size_t* work);
cufftResult estimate_2d(int nx, int ny, cufftType type, std::size_t* work);
cufftResult estimate_3d(int nx, int ny, int nz, cufftType type, std::size_t* work);
cufftResult estimate_many(int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride, int odist,
                          cufftType type, int batch, std::size_t* work);

cufftResult size(Handle handle, std::size_t* work);
cufftResult size_1d(Handle handle, int nx, cufftType type, int batch, std::size_t* work);
cufftResult size_2d(Handle handle, int nx, int ny, cufftType type, std::size_t* work);
cufftResult size_3d(Handle handle, int nx, int ny, int nz, cufftType type, std::size_t* work);
cufftResult size_many(Handle handle, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                      int odist, cufftType type, int batch, std::size_t* work);
cufftResult size_many_64(Handle handle, int rank, long long* n, long long* inembed, long long istride, long long idist,
                         long long* onembed, long long ostride, long long odist, cufftType type, long long batch,
                         std::size_t* work);
cufftResult size_typed(Handle handle, int rank, long long* n, long long* inembed, long long istride, long long idist,
                       cudaDataType in, long long* onembed, long long ostride, long long odist, cudaDataType out,
                       long long batch, std::size_t* work, cudaDataType execution);

cufftResult set_work_area(const Call& call, void* area);
cufftResult set_work_areas(Handle handle, void** areas);  // of several GPUs
cufftResult set_auto_allocation(const Call& call, int allocates);
cufftResult set_work_area_policy(const Call& call, cufftXtWorkAreaPolicy policy, std::size_t* work);

}  // namespace nvmlkit::cufft::functions
