// One call of the library: its generator, its name.
#pragma once

#include "libraries/common/guarded.hpp"
#include "libraries/common/kernel.hpp"
#include "libraries/common/unsupported.hpp"
#include "libraries/curand/types.hpp"

namespace nvmlkit::curand {

using libraries::Running;

struct Call {
  Generator& generator;
  const char* name;

  curandStatus_t unsupported(const char* what) const {
    libraries::note_unsupported(name, what);
    return CURAND_STATUS_TYPE_ERROR;
  }
};

// No exception crosses the ABI.
template <class Work>
curandStatus_t without_handle(Work work) noexcept {
  return libraries::guarded<CURAND_STATUS_ALLOCATION_FAILED, CURAND_STATUS_INTERNAL_ERROR>(work);
}
template <class Work>
curandStatus_t with(Generator* generator, const char* name, Work work) noexcept {
  if (!is_object(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  return without_handle([&] { return work(Call{*generator, name}); });
}

using libraries::unsupported;

}  // namespace nvmlkit::curand
