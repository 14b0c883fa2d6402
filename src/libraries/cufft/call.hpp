// A call of the library: what every exported function does before and after its own work.
#pragma once

#include "libraries/common/driver.hpp"
#include "libraries/common/guarded.hpp"
#include "libraries/cufft/plan.hpp"

namespace nvmlkit::cufft {

struct Call {
  Plan& plan;
  Handle handle;
};

using libraries::unsupported;

template <class Work>
cufftResult without_handle(Work work) noexcept {
  return libraries::guarded<CUFFT_ALLOC_FAILED, CUFFT_INTERNAL_ERROR>(work);
}

template <class Work>
cufftResult with(Handle handle, const char*, Work work) {
  return without_handle([&]() -> cufftResult {
    const auto plan = find_plan(handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    return work(Call{*plan, handle});
  });
}

// What an error of the driver is for cuFFT.
cufftResult answer_of(libraries::CUresult result);

}  // namespace nvmlkit::cufft
