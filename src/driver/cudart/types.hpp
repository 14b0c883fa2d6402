// The types of the runtime's functions that the driver does not have.
#pragma once

#include <cstddef>

#include "driver/cuda/generated/prototypes.hpp"

// The runtime's version, 13000 and so on: each of its libraries is built from these sources.
#ifndef NVMLKIT_CUDART_VERSION
#error "which version of the runtime?"
#endif

namespace nvmlkit::cudart {
using namespace nvmlkit::cuda;

using Error = int;  // cudaError_t; the driver's numbers are the runtime's, and there are a few more
using LogsCallback = void (*)(void* data, int level, char* message, std::size_t length);

struct Dim3 {
  unsigned x, y, z;
};
struct Pitched {
  void* pointer;
  std::size_t pitch, width, height;
};
struct Extent {
  std::size_t width, height, depth;
};
struct Place {
  std::size_t x, y, z;
};
struct Copy3D {
  void* from_array;
  Place from_place;
  Pitched from;
  void* to_array;
  Place to_place;
  Pitched to;
  Extent extent;
  int kind;
};
static_assert(sizeof(Copy3D) == 160);

// Defined where they are read.
struct BoxCopy;
struct Channels;
struct CopyAttributes;
struct FunctionAttributes;
struct KernelParams;
struct LaunchConfig;
struct LaunchOnDevice;
struct PeerCopy3D;
struct PointerAttributes;
struct ResourceDescription;
struct TextureDescription;
struct TextureReference;
struct ViewDescription;

}  // namespace nvmlkit::cudart
