// Plans made and destroyed.
#pragma once

#include <cstddef>

#include "libraries/cufft/call.hpp"

namespace nvmlkit::cufft::functions {

cufftResult create(Handle* handle);
cufftResult destroy(const Call& call);

cufftResult plan_1d(Handle* handle, int nx, cufftType type, int batch);
cufftResult plan_2d(Handle* handle, int nx, int ny, cufftType type);
cufftResult plan_3d(Handle* handle, int nx, int ny, int nz, cufftType type);
cufftResult plan_many(Handle* handle, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                      int odist, cufftType type, int batch);

cufftResult make_1d(Handle handle, int nx, cufftType type, int batch, std::size_t* work);
cufftResult make_2d(Handle handle, int nx, int ny, cufftType type, std::size_t* work);
cufftResult make_3d(Handle handle, int nx, int ny, int nz, cufftType type, std::size_t* work);
cufftResult make_many(Handle handle, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                      int odist, cufftType type, int batch, std::size_t* work);
cufftResult make_many_64(Handle handle, int rank, long long* n, long long* inembed, long long istride, long long idist,
                         long long* onembed, long long ostride, long long odist, cufftType type, long long batch,
                         std::size_t* work);
cufftResult make_typed(Handle handle, int rank, long long* n, long long* inembed, long long istride, long long idist,
                       cudaDataType in, long long* onembed, long long ostride, long long odist, cudaDataType out,
                       long long batch, std::size_t* work, cudaDataType execution);

}  // namespace nvmlkit::cufft::functions
