#include "driver/cuda/graphs/work.hpp"

#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/capture.hpp"
#include "driver/cuda/graphs/conditions.hpp"
#include "driver/cuda/graphs/graph.hpp"
#include "driver/cuda/graphs/graph_memory.hpp"
#include "driver/cuda/streams.hpp"

namespace nvmlkit::cuda {
namespace {

// Calls work(context) in the context that a node was made for.
template <class F>
CUresult in_context(Context& current, CUcontext handle, F work) {
  if (!handle || handle == current.handle()) return work(current);
  const auto context = contexts::find(handle);
  return context ? work(*context) : CUDA_ERROR_INVALID_CONTEXT;
}

struct Performer {
  Context& context;
  CUstream stream;

  CUresult operator()(const KernelWork& w) const {
    return in_context(context, w.context, [&](Context& own) {
      auto result = CUDA_SUCCESS;
      const auto function = modules::find_function(w.function, &own.device, own.handle(), result);
      return function ? launch(own, *function, w.shape, w.arguments) : result;
    });
  }
  CUresult operator()(const CopyWork& w) const {
    return in_context(context, w.context, [&](Context& own) { return functions::Memcpy3D_v2(own, &w.copy); });
  }
  CUresult operator()(const FillWork& w) const {
    return in_context(context, w.context, [&](Context& own) {
      const auto& f = w.fill;
      switch (f.elementSize) {
        case 1:
          return functions::MemsetD2D8_v2(own, f.dst, f.pitch, static_cast<unsigned char>(f.value), f.width, f.height);
        case 2:
          return functions::MemsetD2D16_v2(own, f.dst, f.pitch, static_cast<unsigned short>(f.value), f.width,
                                           f.height);
        case 4:
          return functions::MemsetD2D32_v2(own, f.dst, f.pitch, f.value, f.width, f.height);
        default:
          return CUDA_ERROR_INVALID_VALUE;
      }
    });
  }
  CUresult operator()(const HostWork& w) const {
    w.function(w.data);
    return CUDA_SUCCESS;
  }
  CUresult operator()(const GraphWork& w) const {
    return w.ready ? graphs::run(context, stream, *w.ready) : CUDA_ERROR_INVALID_VALUE;
  }
  CUresult operator()(const NoWork&) const { return CUDA_SUCCESS; }
  CUresult operator()(const WaitWork& w) const {
    return streams::find_event(w.event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  }
  CUresult operator()(const RecordWork& w) const {
    const auto event = streams::find_event(w.event);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    event->recorded_ns = streams::now_ns();
    return CUDA_SUCCESS;
  }
  CUresult operator()(const AllocWork& w) const { return graph_memory::allocate(w); }
  CUresult operator()(const FreeWork& w) const { return graph_memory::release(w.address); }
  CUresult operator()(const ConditionalWork& w) const {
    const auto& condition = w.condition;
    if (w.ready.size() != w.bodies.size()) return CUDA_ERROR_INVALID_VALUE;
    const auto do_body = [&](std::size_t which) {
      return which < w.ready.size() ? graphs::run(context, stream, *w.ready[which]) : CUDA_SUCCESS;
    };
    if (w.type == CU_GRAPH_COND_TYPE_SWITCH) return do_body(condition->value);
    if (w.type == CU_GRAPH_COND_TYPE_IF) return do_body(condition->value != 0 ? 0 : 1);
    while (condition->value != 0) {
      if (const auto result = do_body(0); result != CUDA_SUCCESS) return result;
      if (context.failure() != CUDA_SUCCESS) return CUDA_SUCCESS;  // a kernel failed, and sets nothing any more
    }
    return CUDA_SUCCESS;
  }
  // No node of these kinds can be made yet.
  CUresult operator()(const SignalWork&) const { return CUDA_ERROR_NOT_SUPPORTED; }
  CUresult operator()(const SemaphoreWork&) const { return CUDA_ERROR_NOT_SUPPORTED; }
  CUresult operator()(const BatchWork&) const { return CUDA_ERROR_NOT_SUPPORTED; }
};

}  // namespace

CUresult perform(Context& context, CUstream stream, const Work& work) {
  return std::visit(Performer{context, stream}, work);
}

CUresult enqueue(Context& context, CUstream handle, Work work) {
  const auto stream = streams::find(handle, context.handle());
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->is_captured) return capture::add(*stream, std::move(work));
  if (const auto result = capture::check_uncaptured(*stream); result != CUDA_SUCCESS) return result;
  return perform(context, handle, work);
}

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
