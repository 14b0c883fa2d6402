#include "driver/cuda/work/work.hpp"

namespace nvmlkit::cuda {

CopyWork row_copy(const Context& context, CUdeviceptr to, CUmemorytype to_type, CUdeviceptr from,
                  CUmemorytype from_type, std::size_t size) {
  CopyWork out;
  out.context = context.handle();
  auto& c = out.copy;
  c.dstMemoryType = to_type;
  c.dstHost = reinterpret_cast<void*>(to);
  c.dstDevice = to;
  c.srcMemoryType = from_type;
  c.srcHost = reinterpret_cast<const void*>(from);
  c.srcDevice = from;
  c.WidthInBytes = size;
  c.Height = c.Depth = 1;
  return out;
}

}  // namespace nvmlkit::cuda
