// Copies of boxes between GPUs. Addresses determine their GPU; the numbers of the GPUs add nothing.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

struct Side {
  void* array;
  std::size_t place[3];
  struct {
    void* pointer;
    std::size_t pitch, width, height;
  } memory;
};
struct PeerCopy3D {
  Side from;
  int from_device;
  Side to;
  int to_device;
  std::size_t extent[3];
};
static_assert(sizeof(PeerCopy3D) == 168);

namespace {

Error copy_box(const PeerCopy3D* p, const CUstream* stream) {
  if (!p) return keep(kInvalidValue);
  if (p->from.array || p->to.array) return keep(kNotSupported);
  const auto [width, height, depth] = p->extent;
  return with_context([&, width = width, height = height, depth = depth] {
    if (width == 0 || height == 0 || depth == 0) return nothing_in(stream);
    CUDA_MEMCPY3D c{};
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcXInBytes = p->from.place[0];
    c.srcY = p->from.place[1];
    c.srcZ = p->from.place[2];
    c.srcDevice = address_of(p->from.memory.pointer);
    c.srcPitch = p->from.memory.pitch;
    c.srcHeight = p->from.memory.height;
    c.dstXInBytes = p->to.place[0];
    c.dstY = p->to.place[1];
    c.dstZ = p->to.place[2];
    c.dstDevice = address_of(p->to.memory.pointer);
    c.dstPitch = p->to.memory.pitch;
    c.dstHeight = p->to.memory.height;
    c.WidthInBytes = width;
    c.Height = height;
    c.Depth = depth;
    return stream ? cuMemcpy3DAsync_v2(&c, *stream) : NVMLKIT_BY_DEFAULT(cuMemcpy3D_v2)(&c);
  });
}

}  // namespace

NVMLKIT_RUNTIME Error cudaMemcpy3DPeer(const PeerCopy3D* p) { return copy_box(p, nullptr); }
NVMLKIT_RUNTIME Error cudaMemcpy3DPeerAsync(const PeerCopy3D* p, CUstream stream) { return copy_box(p, &stream); }

}  // namespace nvmlkit::cudart
