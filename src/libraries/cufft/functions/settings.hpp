// Streams, properties and versions.
#pragma once

#include "libraries/cufft/call.hpp"

namespace nvmlkit::cufft::functions {

cufftResult set_stream(const Call& call, CUstream stream);
cufftResult tell_version(int* out);
cufftResult property_of_library(libraryPropertyType type, int* value);
cufftResult set_property(const Call& call, cufftProperty property, long long value);
cufftResult get_property(const Call& call, cufftProperty property, long long* value);
cufftResult reset_property(const Call& call, cufftProperty property);

}  // namespace nvmlkit::cufft::functions
