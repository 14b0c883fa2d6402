#include "driver/cuda/graphs/capture.hpp"

#include <algorithm>
#include <atomic>

namespace nvmlkit::cuda {

GraphCapture::Member* GraphCapture::member(const Stream& stream) {
  const auto found = members.find(&stream);
  return found == members.end() ? nullptr : &found->second;
}

CUresult GraphCapture::add_node(Stream& stream, NodeWork work) {
  const auto guard = graphs::guard();
  auto* const own = member(stream);
  if (!own) return CUDA_ERROR_ILLEGAL_STATE;
  const auto into = graphs::find(graph);
  if (is_invalid() || !into) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  own->front = {graphs::add(*into, own->front, std::move(work))};
  return CUDA_SUCCESS;
}

namespace capture {
namespace {

constinit std::atomic<unsigned long long> last_id{0};

GraphCapture::Member& join(const std::shared_ptr<Stream>& stream, const std::shared_ptr<GraphCapture>& capture) {
  auto& member = capture->members[stream.get()];
  member = {stream, {}};
  stream->capture.set(capture);
  return member;
}

// Does the origin depend on all that other streams were handed?
bool is_joined(const GraphCapture& capture, const Graph& graph, const Stream& origin) {
  const auto& joined = capture.members.at(&origin).front;
  for (const auto& [stream, member] : capture.members) {
    if (stream == &origin || member.stream.expired()) continue;
    for (const auto last : member.front) {
      const auto needs_it = [&](const auto& node) {
        return std::find(node->needs.begin(), node->needs.end(), last) != node->needs.end();
      };
      if (std::find(joined.begin(), joined.end(), last) == joined.end() &&
          std::none_of(graph.nodes.begin(), graph.nodes.end(), needs_it))
        return false;
    }
  }
  return true;
}

}  // namespace

// Graphs are all that streams are captured into.
std::shared_ptr<GraphCapture> of(const Stream& stream) {
  return std::static_pointer_cast<GraphCapture>(stream.capture.get());
}

CUresult begin(CUstream handle, const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode, CUgraph into,
               std::span<const CUgraphNode> behind) {
  const auto guard = graphs::guard();
  if (stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
  const auto made = std::make_shared<GraphCapture>(*stream, mode);
  made->id = ++last_id;
  made->owns_graph = !into;
  made->graph = into ? into : graphs::make()->handle;
  made->origin = handle;
  join(stream, made).front.assign(behind.begin(), behind.end());
  return CUDA_SUCCESS;
}

CUresult end(CUstream handle, Stream& stream, CUgraph& out) {
  const auto guard = graphs::guard();
  const auto capture = of(stream);
  if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != handle) {
    capture->invalidate();
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  if (!capture->may_end_here()) return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  const auto graph = graphs::find(capture->graph);
  const auto result = capture->is_invalid() || !graph        ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                      : !is_joined(*capture, *graph, stream) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                                             : CUDA_SUCCESS;
  for (const auto& [_, member] : capture->members)
    if (const auto captured = member.stream.lock()) captured->capture.set(nullptr);
  capture->members.clear();
  out = result == CUDA_SUCCESS ? capture->graph : nullptr;
  if (!out && capture->owns_graph) graphs::destroy(capture->graph);
  return result;
}

CUresult add(Stream& stream, NodeWork work) {
  const auto capture = of(stream);
  return capture ? capture->add_node(stream, std::move(work)) : CUDA_ERROR_ILLEGAL_STATE;
}

CUresult record(Stream& stream, Event& event) {
  const auto guard = graphs::guard();
  const auto capture = of(stream);
  const auto* const member = capture ? capture->member(stream) : nullptr;
  if (!member) return CUDA_ERROR_ILLEGAL_STATE;
  event.captured.set(std::make_shared<CapturedPlace>(CapturedPlace{capture, member->front}));
  return CUDA_SUCCESS;
}

CUresult refuse(const Event& event) {
  const auto place = event.captured.get();
  if (const auto capture = place ? place->capture.lock() : nullptr) capture->invalidate();
  return CUDA_ERROR_CAPTURED_EVENT;
}

CUresult wait(const std::shared_ptr<Stream>& stream, const Event& event) {
  const auto guard = graphs::guard();
  const auto own = of(*stream);
  if (own && own->is_invalid()) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  const auto place = event.captured.get();
  const auto capture = place ? place->capture.lock() : nullptr;
  if (!capture || !graphs::find(capture->graph)) {
    // What happened outside of a capture is nothing that a graph could wait for.
    if (!own) return CUDA_SUCCESS;
    own->invalidate();
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  if (capture->is_invalid()) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (own && own != capture) {
    own->invalidate();
    capture->invalidate();
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (!own && stream->kind == Stream::Kind::legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  auto& front = own ? own->member(*stream)->front : join(stream, capture).front;
  for (const auto node : place->nodes)
    if (std::find(front.begin(), front.end(), node) == front.end()) front.push_back(node);
  return CUDA_SUCCESS;
}

}  // namespace capture
}  // namespace nvmlkit::cuda
