// Handles, the GPUs of a handle, grids, descriptions of matrices.
#pragma once

#include "libraries/cusolvermg/call.hpp"

namespace nvmlkit::cusolvermg::functions {

cusolverStatus_t create(Handle** out);
cusolverStatus_t destroy(const Call& call);
cusolverStatus_t select(const Call& call, int count, const int* devices);
cusolverStatus_t create_grid(Grid** out, std::int32_t rows, std::int32_t columns, const std::int32_t* devices,
                             cusolverMgGridMapping_t mapping);
cusolverStatus_t destroy_grid(Grid* grid);
cusolverStatus_t create_description(Description** out, std::int64_t rows, std::int64_t columns, std::int64_t row_block,
                                    std::int64_t column_block, cudaDataType type, const Grid* grid);
cusolverStatus_t destroy_description(Description* description);

}  // namespace nvmlkit::cusolvermg::functions
