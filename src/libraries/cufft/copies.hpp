// Numbers that go to and from the memory of several GPUs. The calls wait for what the plan was handed before.
#pragma once

#include "libraries/cufft/call.hpp"

namespace nvmlkit::cufft {

// Whether a descriptor, ours or a program's, is of the GPUs of a plan.
bool is_of(const Descriptor& descriptor, const Gpus& gpus);

cufftResult copy_to_gpus(Plan& plan, const Descriptor& to, const void* from);
cufftResult copy_to_host(Plan& plan, void* to, const Descriptor& from);
// In natural order.
cufftResult copy_between(Plan& plan, Descriptor& to, const Descriptor& from);

}  // namespace nvmlkit::cufft
