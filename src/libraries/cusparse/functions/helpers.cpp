#include "libraries/cusparse/functions/helpers.hpp"

#include <cstdio>

#include "libraries/common/log_file.hpp"
#include "libraries/cusparse/functions/objects.hpp"

namespace nvmlkit::cusparse {

cusparseStatus_t Call::status_of(libraries::CUresult result) {
  switch (result) {
    case cuda::CUDA_SUCCESS:
      return CUSPARSE_STATUS_SUCCESS;
    case cuda::CUDA_ERROR_OUT_OF_MEMORY:
      return CUSPARSE_STATUS_ALLOC_FAILED;
    default:
      return CUSPARSE_STATUS_EXECUTION_FAILED;
  }
}

cusparseStatus_t refuse_null(const char* function, int number, const char* argument) {
  std::fprintf(stderr, " ** On entry to %s() parameter number %d (%s) had an illegal value: NULL pointer\n\n", function,
               number, argument);
  return CUSPARSE_STATUS_INVALID_VALUE;
}

namespace functions {
namespace {

// Of CUDA 13.0, whose functions these are; those of CUDA 12 are the same.
constexpr int kVersion[] = {12, 6, 3};

struct StatusText {
  const char *name, *text;
};
constexpr StatusText kStatusTexts[] = {
    {"CUSPARSE_STATUS_SUCCESS", "success"},
    {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    {"CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
    {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};
constexpr StatusText kUnknown = {"unrecognized error code", "unrecognized error code"};

const StatusText& text_of(cusparseStatus_t status) {
  return status < std::size(kStatusTexts) ? kStatusTexts[status] : kUnknown;
}

template <class T>
cusparseStatus_t set_option(MatrixOptions* options, T MatrixOptions::*member, T value, T most) {
  if (!options) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (!is_object(options) || value > most) return CUSPARSE_STATUS_INVALID_VALUE;
  options->*member = value;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class T>
T get_option(const MatrixOptions* options, T MatrixOptions::*member) {
  return is_object(options) ? options->*member : static_cast<T>(~0U);
}

}  // namespace

cusparseStatus_t create(Handle** out) {
  if (!out) return CUSPARSE_STATUS_INVALID_VALUE;
  const auto* const driver = libraries::driver();
  if (!driver) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (const auto result = libraries::ensure_context(*driver); result != cuda::CUDA_SUCCESS)
    return result == cuda::CUDA_ERROR_OUT_OF_MEMORY ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_NOT_INITIALIZED;
  auto* const made = new Handle;
  made->driver = driver;
  *out = made;
  return CUSPARSE_STATUS_SUCCESS;
}
// Work that it handed to streams goes on.
cusparseStatus_t destroy(const Call& call) { return destroy_object(&call.handle); }

cusparseStatus_t get_version(const Call&, int* version) {
  return answer(version, kVersion[0] * 1000 + kVersion[1] * 100 + kVersion[2]);
}
cusparseStatus_t get_property(libraryPropertyType type, int* value) {
  if (static_cast<unsigned>(type) > 2) return CUSPARSE_STATUS_INVALID_VALUE;
  return answer(value, kVersion[static_cast<unsigned>(type)]);
}
const char* error_name(cusparseStatus_t status) { return text_of(status).name; }
const char* error_string(cusparseStatus_t status) { return text_of(status).text; }
cusparseStatus_t set_stream(const Call& call, CUstream stream) { return answer(&call.handle.stream, stream); }
cusparseStatus_t get_stream(const Call& call, CUstream* stream) { return answer(stream, call.handle.stream); }
cusparseStatus_t set_pointer_mode(const Call& call, cusparsePointerMode_t mode) {
  if (mode > CUSPARSE_POINTER_MODE_DEVICE) return CUSPARSE_STATUS_INVALID_VALUE;
  return answer(&call.handle.pointer_mode, mode);
}
cusparseStatus_t get_pointer_mode(const Call& call, cusparsePointerMode_t* mode) {
  return answer(mode, call.handle.pointer_mode);
}

cusparseStatus_t set_log_callback(LogCallback) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t set_log_file(std::FILE*) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t open_log_file(const char* file) {
  return libraries::makes_log_file(file) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}
cusparseStatus_t set_log_level(int level) {
  return level >= 0 && level <= 6 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}
cusparseStatus_t set_log_mask(int) { return CUSPARSE_STATUS_SUCCESS; }
cusparseStatus_t disable_log() { return CUSPARSE_STATUS_SUCCESS; }

cusparseStatus_t create_options(MatrixOptions** out) { return create_object(out); }
cusparseStatus_t destroy_options(MatrixOptions* options) { return destroy_object(options); }
cusparseStatus_t set_type(MatrixOptions* options, cusparseMatrixType_t type) {
  return set_option(options, &MatrixOptions::type, type, CUSPARSE_MATRIX_TYPE_TRIANGULAR);
}
cusparseStatus_t set_fill(MatrixOptions* options, cusparseFillMode_t fill) {
  return set_option(options, &MatrixOptions::fill, fill, CUSPARSE_FILL_MODE_UPPER);
}
cusparseStatus_t set_diagonal(MatrixOptions* options, cusparseDiagType_t diagonal) {
  return set_option(options, &MatrixOptions::diagonal, diagonal, CUSPARSE_DIAG_TYPE_UNIT);
}
cusparseStatus_t set_base(MatrixOptions* options, cusparseIndexBase_t base) {
  return set_option(options, &MatrixOptions::base, base, CUSPARSE_INDEX_BASE_ONE);
}
cusparseMatrixType_t get_type(const MatrixOptions* options) { return get_option(options, &MatrixOptions::type); }
cusparseFillMode_t get_fill(const MatrixOptions* options) { return get_option(options, &MatrixOptions::fill); }
cusparseDiagType_t get_diagonal(const MatrixOptions* options) { return get_option(options, &MatrixOptions::diagonal); }
cusparseIndexBase_t get_base(const MatrixOptions* options) { return get_option(options, &MatrixOptions::base); }

cusparseStatus_t create_info(PivotInfo** out) { return create_object(out); }
cusparseStatus_t destroy_info(PivotInfo* info) { return destroy_object(info); }

}  // namespace functions
}  // namespace nvmlkit::cusparse
