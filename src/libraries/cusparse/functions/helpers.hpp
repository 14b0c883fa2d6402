// Handles, streams, pointer modes, errors, the log; options of matrices.
#pragma once

#include "libraries/cusparse/call.hpp"

namespace nvmlkit::cusparse::functions {

cusparseStatus_t create(Handle** out);
cusparseStatus_t destroy(const Call& call);
cusparseStatus_t get_version(const Call& call, int* version);
cusparseStatus_t get_property(libraryPropertyType type, int* value);
const char* error_name(cusparseStatus_t status);
const char* error_string(cusparseStatus_t status);
cusparseStatus_t set_stream(const Call& call, CUstream stream);
cusparseStatus_t get_stream(const Call& call, CUstream* stream);
cusparseStatus_t set_pointer_mode(const Call& call, cusparsePointerMode_t mode);
cusparseStatus_t get_pointer_mode(const Call& call, cusparsePointerMode_t* mode);

// What a program sets; nothing is written to it.
cusparseStatus_t set_log_callback(LogCallback callback);
cusparseStatus_t set_log_file(std::FILE* file);
cusparseStatus_t open_log_file(const char* file);
cusparseStatus_t set_log_level(int level);
cusparseStatus_t set_log_mask(int mask);
cusparseStatus_t disable_log();

cusparseStatus_t create_options(MatrixOptions** out);
cusparseStatus_t destroy_options(MatrixOptions* options);
cusparseStatus_t set_type(MatrixOptions* options, cusparseMatrixType_t type);
cusparseStatus_t set_fill(MatrixOptions* options, cusparseFillMode_t fill);
cusparseStatus_t set_diagonal(MatrixOptions* options, cusparseDiagType_t diagonal);
cusparseStatus_t set_base(MatrixOptions* options, cusparseIndexBase_t base);
cusparseMatrixType_t get_type(const MatrixOptions* options);
cusparseFillMode_t get_fill(const MatrixOptions* options);
cusparseDiagType_t get_diagonal(const MatrixOptions* options);
cusparseIndexBase_t get_base(const MatrixOptions* options);

cusparseStatus_t create_info(PivotInfo** out);
cusparseStatus_t destroy_info(PivotInfo* info);

}  // namespace nvmlkit::cusparse::functions
