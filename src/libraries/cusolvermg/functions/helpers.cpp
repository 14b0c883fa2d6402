#include "libraries/cusolvermg/functions/helpers.hpp"

#include <algorithm>

namespace nvmlkit::cusolvermg::functions {
namespace {

using cuda::CUDA_SUCCESS;

constexpr int kMostGpus = 32;  // documented

void forget(Handle& handle) {
  for (const auto& gpu : handle.gpus) handle.driver->release_primary(gpu.device);
  handle.gpus.clear();
}

bool are_gpus(const libraries::Driver& driver, int count, const int* devices) {
  int all = 0;
  if (driver.init(0) != CUDA_SUCCESS || driver.get_count(&all) != CUDA_SUCCESS) return false;
  return std::all_of(devices, devices + count, [=](int device) { return device >= 0 && device < all; });
}

std::string bus_id_of(const libraries::Driver& driver, int device) {
  char name[32] = "";
  driver.get_bus_id(name, sizeof name, device);
  return name;
}

}  // namespace

cusolverStatus_t create(Handle** out) {
  if (!out) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto* const driver = libraries::driver();
  if (!driver) return CUSOLVER_STATUS_NOT_INITIALIZED;
  *out = Live<Handle>::make();
  (*out)->driver = driver;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t destroy(const Call& call) {
  forget(call.handle);
  Live<Handle>::destroy(&call.handle);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t select(const Call& call, int count, const int* devices) {
  auto& handle = call.handle;
  if (count < 1 || count > kMostGpus || !devices || !are_gpus(*handle.driver, count, devices))
    return CUSOLVER_STATUS_INVALID_VALUE;
  forget(handle);
  for (int k = 0; k < count; ++k) {
    Gpu gpu{devices[k], nullptr, bus_id_of(*handle.driver, devices[k])};
    if (handle.driver->retain_primary(&gpu.context, gpu.device) != CUDA_SUCCESS) {
      forget(handle);
      return CUSOLVER_STATUS_ALLOC_FAILED;
    }
    handle.gpus.push_back(std::move(gpu));
  }
  return CUSOLVER_STATUS_SUCCESS;
}

// Columns alone are divided: the order of a grid's rows and columns does not count.
cusolverStatus_t create_grid(Grid** out, std::int32_t rows, std::int32_t columns, const std::int32_t* devices,
                             cusolverMgGridMapping_t) {
  if (!out || !devices || rows != 1 || columns < 1) return CUSOLVER_STATUS_INVALID_VALUE;
  *out = Live<Grid>::make();
  (*out)->devices.assign(devices, devices + columns);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t destroy_grid(Grid* grid) {
  return Live<Grid>::destroy(grid) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

// Whether numbers have the type, the functions check: so does NVIDIA's library.
cusolverStatus_t create_description(Description** out, std::int64_t rows, std::int64_t columns, std::int64_t row_block,
                                    std::int64_t column_block, cudaDataType type, const Grid* grid) {
  if (!out || !Live<Grid>::has(grid) || rows < 0 || columns < 0 || column_block < 0 || row_block != rows)
    return CUSOLVER_STATUS_INVALID_VALUE;
  *out = Live<Description>::make();
  **out = {rows, columns, column_block, type, grid->devices};
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t destroy_description(Description* description) {
  return Live<Description>::destroy(description) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

}  // namespace nvmlkit::cusolvermg::functions
