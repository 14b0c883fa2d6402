#include "libraries/cublaslt/functions/helpers.hpp"

#include <atomic>
#include <limits>

#include "libraries/blas/status_texts.hpp"
#include "libraries/common/live.hpp"
#include "libraries/common/log_file.hpp"
#include "libraries/common/soname.hpp"

namespace nvmlkit::cublaslt::functions {
namespace {

constexpr std::size_t kCapacityStep = 32;  // of the cache of NVIDIA's library
constinit std::atomic<std::size_t> cache_capacity{8192};

bool is_old() { return libraries::is_loaded_as("libcublasLt.so.12"); }

}  // namespace

cublasStatus_t create(Handle** out) {
  if (!out) return CUBLAS_STATUS_INVALID_VALUE;
  const auto* const driver = libraries::driver();
  if (!driver || libraries::ensure_context(*driver) != cuda::CUDA_SUCCESS) return CUBLAS_STATUS_NOT_INITIALIZED;
  *out = libraries::Live<Handle>::make();
  **out = {driver, libraries::capability(*driver)};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t destroy(Handle* handle) {
  // Null is refused, as by NVIDIA's. A handle of libcublas is one of this library, too: its own function frees it.
  return libraries::Live<Handle>::destroy(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

// Of CUDA 12.9 and of CUDA 13.0.
std::size_t get_version() { return is_old() ? 120901 : 130100; }
std::size_t get_cudart_version() { return is_old() ? 12090 : 13000; }
cublasStatus_t get_property(libraryPropertyType type, int* value) {
  if (static_cast<unsigned>(type) > 2 || !value) return CUBLAS_STATUS_INVALID_VALUE;
  const auto version = static_cast<int>(get_version());
  *value = type == MAJOR_VERSION ? version / 10000 : type == MINOR_VERSION ? version / 100 % 100 : version % 100;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t set_log_callback(LogCallback) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t set_log_number(int) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t disable_log() { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t open_log(const char* path) {
  return libraries::makes_log_file(path) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t set_log_file(std::FILE*) { return CUBLAS_STATUS_SUCCESS; }

// Nothing is cached here; the capacity is kept, rounded as in NVIDIA's library.
cublasStatus_t get_cache_capacity(std::size_t* capacity) {
  if (!capacity) return CUBLAS_STATUS_INVALID_VALUE;
  *capacity = cache_capacity;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t set_cache_capacity(std::size_t capacity) {
  if (capacity > std::numeric_limits<std::size_t>::max() - kCapacityStep) return CUBLAS_STATUS_INVALID_VALUE;
  cache_capacity = (capacity + kCapacityStep - 1) / kCapacityStep * kCapacityStep;
  return CUBLAS_STATUS_SUCCESS;
}

// Returns the mask until then. OpenBLAS chooses its instructions itself.
unsigned set_cpu_mask(unsigned mask) {
  static constinit std::atomic<unsigned> the{0};
  return the.exchange(mask);
}

const char* name_of_status(cublasStatus_t status) { return blas::text_of(static_cast<int>(status)).name; }
const char* text_of_status(cublasStatus_t status) { return blas::text_of(static_cast<int>(status)).text; }

}  // namespace nvmlkit::cublaslt::functions
