// One call of the library: its handle, its name, work that it hands to the stream.
#pragma once

#include <utility>

#include "libraries/common/guarded.hpp"
#include "libraries/common/kernel.hpp"
#include "libraries/common/unsupported.hpp"
#include "libraries/cusolver/types.hpp"

namespace nvmlkit::cusolver {

using libraries::Cost;
using libraries::Running;

struct Call {
  Handle& handle;
  const char* name;

  // Done when the stream comes to it.
  template <class Work>
  cusolverStatus_t enqueue(Cost cost, Work work) const {
    return status_of(libraries::enqueue(*handle.driver, handle.stream, name, cost, std::move(work)));
  }
  // The same for work that answers through memory of the host: it is done when the call returns.
  template <class Work>
  cusolverStatus_t enqueue_and_wait(Cost cost, Work work) const {
    const auto status = enqueue(cost, std::move(work));
    return status == CUSOLVER_STATUS_SUCCESS ? status_of(handle.driver->wait_for_stream(handle.stream)) : status;
  }
  // What is right, and not simulated: the line names it.
  cusolverStatus_t unsupported(const char* what) const {
    libraries::note_unsupported(name, what);
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  }

  static cusolverStatus_t status_of(libraries::CUresult result);
};

// No exception crosses the ABI.
template <class Work>
cusolverStatus_t without_handle(Work work) noexcept {
  return libraries::guarded<CUSOLVER_STATUS_ALLOC_FAILED, CUSOLVER_STATUS_INTERNAL_ERROR>(work);
}
template <class Work>
cusolverStatus_t with(Handle* handle, const char* name, Work work) noexcept {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  return without_handle([&] { return work(Call{*handle, name}); });
}

using libraries::unsupported;

}  // namespace nvmlkit::cusolver
