#include "libraries/cublas/functions/several.hpp"

#include <algorithm>

namespace nvmlkit::cublas::functions {
namespace {

using cuda::CUDA_SUCCESS;

// The primary context of a GPU, current until the end of the block.
class Current {
 public:
  Current(const libraries::Driver& driver, cuda::CUcontext context) : driver_(driver) {
    is_set_ = driver.get_context(&before_) == CUDA_SUCCESS && driver.set_context(context) == CUDA_SUCCESS;
  }
  ~Current() {
    if (is_set_) driver_.set_context(before_);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  const libraries::Driver& driver_;
  cuda::CUcontext before_ = nullptr;
  bool is_set_ = false;
};

int count_of_gpus() {
  const auto* const driver = libraries::driver();
  int count = 0;
  const bool is_there = driver && driver->init(0) == CUDA_SUCCESS && driver->get_count(&count) == CUDA_SUCCESS;
  return is_there ? count : 0;
}

bool are_gpus(int count, const int* devices) {
  const int gpus = count_of_gpus();
  return count > 0 && devices && std::all_of(devices, devices + count, [=](int d) { return d >= 0 && d < gpus; });
}

void forget(XtHandle& handle) {
  for (const auto& gpu : handle.gpus) gpu->handle.driver->release_primary(gpu->device);
  handle.gpus.clear();
}

template <class T>
cublasStatus_t put(XtHandle* handle, T XtHandle::*member, T value, bool is_right) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_right) return CUBLAS_STATUS_INVALID_VALUE;
  handle->*member = value;
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t get(const XtHandle* handle, T XtHandle::*member, T* out) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!out) return CUBLAS_STATUS_INVALID_VALUE;
  *out = handle->*member;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

cublasStatus_t xt_create(XtHandle** out) {
  if (!out) return CUBLAS_STATUS_INVALID_VALUE;
  if (count_of_gpus() == 0) return CUBLAS_STATUS_NOT_INITIALIZED;
  *out = new XtHandle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t xt_destroy(XtHandle* handle) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  forget(*handle);
  handle->mark = 0;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

// Each GPU here is a board of its own.
cublasStatus_t xt_boards(int count, const int* devices, int* boards) {
  if (!are_gpus(count, devices) || !boards) return CUBLAS_STATUS_INVALID_VALUE;
  std::vector<int> each(devices, devices + count);
  std::sort(each.begin(), each.end());
  *boards = static_cast<int>(std::unique(each.begin(), each.end()) - each.begin());
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t xt_most_boards(int* boards) {
  if (!boards) return CUBLAS_STATUS_INVALID_VALUE;
  *boards = count_of_gpus();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t xt_select(XtHandle* handle, int count, const int* devices) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!are_gpus(count, devices)) return CUBLAS_STATUS_INVALID_VALUE;
  const auto& driver = *libraries::driver();
  forget(*handle);
  for (int k = 0; k < count; ++k) {
    auto gpu = std::make_unique<XtGpu>();
    gpu->device = devices[k];
    if (driver.retain_primary(&gpu->context, devices[k]) != CUDA_SUCCESS) {
      forget(*handle);
      return CUBLAS_STATUS_ALLOC_FAILED;
    }
    const Current current(driver, gpu->context);
    gpu->handle.mark = kMark;
    gpu->handle.driver = &driver;
    gpu->handle.capability = libraries::capability(driver);
    handle->gpus.push_back(std::move(gpu));
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t xt_set_block(XtHandle* handle, int size) { return put(handle, &XtHandle::block, size, size > 0); }
cublasStatus_t xt_get_block(XtHandle* handle, int* size) { return get(handle, &XtHandle::block, size); }
cublasStatus_t xt_set_pinning(XtHandle* handle, cublasXtPinnedMemMode_t mode) {
  return put(handle, &XtHandle::pinning, mode, mode <= CUBLASXT_PINNING_ENABLED);
}
cublasStatus_t xt_get_pinning(XtHandle* handle, cublasXtPinnedMemMode_t* mode) {
  return get(handle, &XtHandle::pinning, mode);
}
cublasStatus_t xt_set_cpu_routine(XtHandle* handle, cublasXtBlasOp_t operation, cublasXtOpType_t type, void*) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool is_right = operation < CUBLASXT_ROUTINE_MAX && type <= CUBLASXT_DOUBLECOMPLEX;
  return is_right ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t xt_set_cpu_ratio(XtHandle* handle, cublasXtBlasOp_t operation, cublasXtOpType_t type, float ratio) {
  const auto status = xt_set_cpu_routine(handle, operation, type, nullptr);
  return status == CUBLAS_STATUS_SUCCESS && !(ratio >= 0 && ratio <= 1) ? CUBLAS_STATUS_INVALID_VALUE : status;
}

Piece::Piece(XtGpu& gpu, const char* name) : call_{gpu.handle, name} {
  const auto& driver = *gpu.handle.driver;
  if (driver.get_context(&before_) != CUDA_SUCCESS || driver.set_context(gpu.context) != CUDA_SUCCESS)
    status_ = CUBLAS_STATUS_EXECUTION_FAILED;
}
Piece::~Piece() {
  const auto& driver = *call_.handle.driver;
  for (const auto address : allocated_) driver.release(address);
  driver.set_context(before_);
}

void* Piece::allocate(std::int64_t rows, std::int64_t columns, std::size_t size) {
  if (status_ != CUBLAS_STATUS_SUCCESS) return nullptr;
  cuda::CUdeviceptr address = 0;
  const auto bytes = static_cast<std::size_t>(least_ld(rows * columns)) * size;
  if (call_.handle.driver->allocate(&address, bytes) != CUDA_SUCCESS) {
    status_ = CUBLAS_STATUS_ALLOC_FAILED;
    return nullptr;
  }
  allocated_.push_back(address);
  return reinterpret_cast<void*>(address);
}

void* Piece::bring(const void* from, std::int64_t rows, std::int64_t columns, std::int64_t ld, std::size_t size) {
  const bool is_empty = rows == 0 || columns == 0;
  if (rows < 0 || columns < 0 || ld < least_ld(rows) || (!from && !is_empty)) status_ = CUBLAS_STATUS_INVALID_VALUE;
  void* const out = allocate(rows, columns, size);
  if (status_ == CUBLAS_STATUS_SUCCESS && !is_empty)
    status_ = copy_matrix(rows, columns, static_cast<std::int64_t>(size), from, ld, out, rows);
  return out;
}

cublasStatus_t Piece::finish() {
  run([](const Call& call) { return Call::status_of(call.handle.driver->wait_for_stream(nullptr)); });
  if (status_ == CUBLAS_STATUS_SUCCESS && result_.rows > 0 && result_.columns > 0)
    status_ = copy_matrix(result_.rows, result_.columns, static_cast<std::int64_t>(result_.size), result_.from,
                          result_.rows, result_.to, result_.ld);
  return status_;
}

}  // namespace nvmlkit::cublas::functions
