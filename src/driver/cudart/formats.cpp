// Formats of elements of arrays and textures. The simulation has neither, but programs describe their formats first.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

struct ChannelFormat {
  int x, y, z, w, kind;
};

NVMLKIT_RUNTIME ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return {x, y, z, w, kind}; }

#if NVMLKIT_CUDART_VERSION < 13000
// GPUs of today compute in double themselves.
NVMLKIT_RUNTIME Error cudaSetDoubleForDevice(double*) { return 0; }
NVMLKIT_RUNTIME Error cudaSetDoubleForHost(double*) { return 0; }
#endif

}  // namespace nvmlkit::cudart
