// Common parts of the functions and field values about NVLink.
#pragma once

#include "nvmlkit/generated/abi.hpp"
#include "sim/generated/model.hpp"

namespace nvmlkit::driver {

// A GPU without NVLink supports nothing; one with it has links from 0 on.
abi::nvmlReturn_t check_link(const sim::model::Gpu& gpu, unsigned int link);

// The version of the links as NVML numbers versions.
unsigned int nvlink_version(const sim::model::Gpu& gpu);

}  // namespace nvmlkit::driver
