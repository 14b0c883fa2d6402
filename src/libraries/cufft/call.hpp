// A call of the library: what every exported function does before and after its own work.
#pragma once

#include <new>

#include "libraries/common/driver.hpp"
#include "libraries/cufft/plan.hpp"

namespace nvmlkit::cufft {

struct Call {
  Plan& plan;
  Handle handle;
};

template <class Work>
cufftResult without_handle(Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return CUFFT_ALLOC_FAILED;
  } catch (...) {
    return CUFFT_INTERNAL_ERROR;
  }
}

template <class Work>
cufftResult with(Handle handle, const char*, Work work) {
  return without_handle([&]() -> cufftResult {
    const auto plan = find_plan(handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    return work(Call{*plan, handle});
  });
}

template <class T>
T unsupported(const char* function, T answer) {
  libraries::note_unsupported(function);
  return answer;
}
inline void unsupported(const char* function) { libraries::note_unsupported(function); }

// What an error of the driver is for cuFFT.
cufftResult answer_of(libraries::CUresult result);

}  // namespace nvmlkit::cufft
