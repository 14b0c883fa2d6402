// One call of the library: its handle, its name, work that it hands to the stream.
#pragma once

#include <cstring>
#include <string>
#include <utility>

#include "libraries/common/guarded.hpp"
#include "libraries/common/kernel.hpp"
#include "libraries/common/live.hpp"
#include "libraries/cudnn/types.hpp"

namespace nvmlkit::cudnn {

using libraries::are_live;
using libraries::Cost;
using libraries::Live;
using libraries::Running;

// Keeps why a call fails, for cudnnGetLastErrorString().
cudnnStatus_t refuse(cudnnStatus_t status, std::string why);
inline cudnnStatus_t bad(const char* why) { return refuse(CUDNN_STATUS_BAD_PARAM, why); }
// What is right, and not simulated: the line names it.
cudnnStatus_t not_simulated(const char* function, const char* what);

struct Call {
  Handle& handle;
  const char* name;

  template <class Work>
  cudnnStatus_t enqueue(Cost cost, Work work) const {
    if (libraries::ensure_context(*handle.driver) != cuda::CUDA_SUCCESS) return CUDNN_STATUS_EXECUTION_FAILED;
    return status_of(libraries::enqueue(*handle.driver, handle.stream, name, cost, std::move(work)));
  }
  // work(number, Running&) with numbers of the type that `type` is computed with: float, or double.
  template <class Work>
  cudnnStatus_t compute(bool in_double, Cost cost, Work work) const {
    return enqueue(cost, [=, work = std::move(work)](Running& running) {
      if (in_double)
        work(double{}, running);
      else
        work(float{}, running);
    });
  }
  cudnnStatus_t wait() const { return status_of(handle.driver->wait_for_stream(handle.stream)); }
  cudnnStatus_t unsupported(const char* what) const { return not_simulated(name, what); }

  static cudnnStatus_t status_of(libraries::CUresult result);
};

template <class Work>
cudnnStatus_t without_handle(Work work) noexcept {
  return libraries::guarded<CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, CUDNN_STATUS_INTERNAL_ERROR>(work);
}
template <class Work>
cudnnStatus_t with(Handle* handle, const char* name, Work work) noexcept {
  return without_handle([&]() -> cudnnStatus_t {
    if (!handle && std::strcmp(name, "cudnnDestroy") == 0) return CUDNN_STATUS_SUCCESS;
    if (!Live<Handle>::has(handle)) return bad("the handle is none");
    return work(Call{*handle, name});
  });
}

using libraries::unsupported;

}  // namespace nvmlkit::cudnn
