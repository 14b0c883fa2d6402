#include "driver/cuda/graphs/capture.hpp"

#include <algorithm>
#include <atomic>

#include "base/never_destroyed.hpp"

namespace nvmlkit::cuda::capture {
namespace {

constinit std::atomic<unsigned long long> last_id{0};
constinit std::atomic<int> under_way{0};

// Under the guard of graphs.
auto& all() {
  static NeverDestroyed<std::vector<std::weak_ptr<Capture>>> the;
  return *the;
}

void leave(Stream& stream) {
  stream.is_captured = false;
  stream.capture = nullptr;
  stream.front.clear();
}

void join(const std::shared_ptr<Stream>& stream, const std::shared_ptr<Capture>& capture) {
  stream->capture = capture;
  stream->front.clear();
  stream->is_captured = true;
  capture->streams.push_back(stream);
}

// Does the origin depend on all that other streams were handed?
bool is_joined(const Capture& capture, const Graph& graph, const Stream& origin) {
  for (const auto& weak : capture.streams) {
    const auto stream = weak.lock();
    if (!stream || stream.get() == &origin || stream->capture.get() != &capture) continue;
    for (const auto last : stream->front) {
      const auto needs_it = [&](const auto& node) {
        return std::find(node->needs.begin(), node->needs.end(), last) != node->needs.end();
      };
      if (std::find(origin.front.begin(), origin.front.end(), last) == origin.front.end() &&
          std::none_of(graph.nodes.begin(), graph.nodes.end(), needs_it))
        return false;
    }
  }
  return true;
}

}  // namespace

CUresult begin(CUstream handle, const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode, CUgraph into,
               std::span<const CUgraphNode> behind) {
  const auto guard = graphs::guard();
  if (stream->is_captured) return CUDA_ERROR_ILLEGAL_STATE;
  auto made = std::make_shared<Capture>();
  made->id = ++last_id;
  made->owns_graph = !into;
  made->graph = into ? into : graphs::make()->handle;
  made->origin = handle;
  made->context = stream->context;
  made->blocks_legacy = !(stream->flags & CU_STREAM_NON_BLOCKING);
  made->mode = mode;
  made->thread = std::this_thread::get_id();
  join(stream, made);
  stream->front.assign(behind.begin(), behind.end());
  std::erase_if(all(), [](const auto& weak) { return weak.expired(); });
  all().push_back(made);
  ++under_way;
  return CUDA_SUCCESS;
}

CUresult end(CUstream handle, Stream& stream, CUgraph& out) {
  const auto guard = graphs::guard();
  const auto capture = stream.capture;
  if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != handle) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != std::this_thread::get_id())
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  const auto graph = graphs::find(capture->graph);
  const auto result = capture->is_invalid || !graph          ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                      : !is_joined(*capture, *graph, stream) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                                             : CUDA_SUCCESS;
  for (const auto& weak : capture->streams)
    if (const auto other = weak.lock(); other && other->capture == capture) leave(*other);
  --under_way;
  out = result == CUDA_SUCCESS ? capture->graph : nullptr;
  if (!out && capture->owns_graph) graphs::destroy(capture->graph);
  return result;
}

CUgraph graph_of(const Stream& stream) { return stream.capture ? stream.capture->graph : nullptr; }

CUresult add(Stream& stream, Work work) {
  const auto guard = graphs::guard();
  if (!stream.capture) return CUDA_ERROR_ILLEGAL_STATE;
  const auto graph = graphs::find(stream.capture->graph);
  if (stream.capture->is_invalid || !graph) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  stream.front = {graphs::add(*graph, stream.front, std::move(work))};
  return CUDA_SUCCESS;
}

CUresult check_uncaptured(const Stream& stream) {
  if (under_way.load(std::memory_order_relaxed) == 0 || stream.kind != Stream::Kind::legacy) return CUDA_SUCCESS;
  const auto guard = graphs::guard();
  auto result = CUDA_SUCCESS;
  for (const auto& weak : all()) {
    const auto capture = weak.lock();
    if (!capture || !capture->blocks_legacy || capture->context != stream.context) continue;
    if (capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != std::this_thread::get_id()) continue;
    capture->is_invalid = true;
    result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  return result;
}

CUresult refuse(Stream& stream) {
  const auto guard = graphs::guard();
  if (stream.capture) stream.capture->is_invalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult record(Stream& stream, Event& event) {
  const auto guard = graphs::guard();
  event.capture = stream.capture;
  event.nodes = stream.front;
  return CUDA_SUCCESS;
}

CUresult wait(const std::shared_ptr<Stream>& stream, const Event& event) {
  const auto guard = graphs::guard();
  const auto capture = event.capture.lock();
  if (!capture || !graphs::find(capture->graph)) {
    // What happened outside of a capture is nothing that a graph could wait for.
    if (!stream->is_captured) return CUDA_SUCCESS;
    stream->capture->is_invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  if (capture->is_invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!stream->is_captured) {
    if (stream->kind == Stream::Kind::legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    join(stream, capture);
  } else if (stream->capture != capture) {
    stream->capture->is_invalid = capture->is_invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  for (const auto node : event.nodes)
    if (std::find(stream->front.begin(), stream->front.end(), node) == stream->front.end())
      stream->front.push_back(node);
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::capture
