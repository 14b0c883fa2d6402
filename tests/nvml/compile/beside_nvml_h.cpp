// NVIDIA's header in the same translation unit, before or after ours.
#ifdef NVML_FIRST
#include <nvml.h>
#endif
#include <nvmlkit/abi/legacy.hpp>
#include <nvmlkit/nvml.hpp>
#ifndef NVML_FIRST
#include <nvml.h>
#endif

static_assert(sizeof(nvmlMemory_v2_t) == sizeof(nvmlkit::abi::nvmlMemory_v2_t));
static_assert(nvmlMemory_v2 == nvmlkit::abi::version_tag<nvmlkit::abi::nvmlMemory_v2_t>);
static_assert(NVML_FI_DEV_ECC_CURRENT == nvmlkit::abi::FI_DEV_ECC_CURRENT);
static_assert(static_cast<int>(NVML_ERROR_GPU_IS_LOST) == static_cast<int>(nvmlkit::abi::NVML_ERROR_GPU_IS_LOST));

int main() { return nvmlkit::nvml::Library::from_table({}) ? 1 : 0; }
