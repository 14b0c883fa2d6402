// Capture of streams into graphs.
#include "driver/cuda/graphs/capture.hpp"

#include <algorithm>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"

namespace nvmlkit::cuda::functions {
namespace {

CUresult begin(Context& context, CUstream handle, CUstreamCaptureMode mode, CUgraph into = nullptr,
               std::span<const CUgraphNode> behind = {}) {
  if (mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  const auto stream = streams::find(handle, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->kind == Stream::Kind::legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return capture::begin(handle, stream, mode, into, behind);
}

// What programs are given of edges: all are of the usual kind.
const CUgraphEdgeData* plain_edges(std::size_t count) {
  static constexpr std::size_t kMost = 4096;
  static constexpr CUgraphEdgeData kEdges[kMost]{};
  return count <= kMost ? kEdges : nullptr;
}

}  // namespace

CUresult StreamBeginCapture(Context& context, CUstream hStream) {
  return begin(context, hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult StreamBeginCapture_v2(Context& context, CUstream hStream, CUstreamCaptureMode mode) {
  return begin(context, hStream, mode);
}

CUresult StreamBeginCaptureToGraph(Context& context, CUstream hStream, CUgraph hGraph, const CUgraphNode* dependencies,
                                   const CUgraphEdgeData*, std::size_t numDependencies, CUstreamCaptureMode mode) {
  const auto guard = graphs::guard();
  const auto graph = graphs::find(hGraph);
  if (!graph || (numDependencies > 0 && !dependencies)) return CUDA_ERROR_INVALID_VALUE;
  const std::span behind(dependencies, numDependencies);
  if (!graphs::are_nodes_of(*graph, behind)) return CUDA_ERROR_INVALID_VALUE;
  return begin(context, hStream, mode, hGraph, behind);
}

CUresult StreamEndCapture(Context& context, CUstream hStream, CUgraph* phGraph) {
  CUgraph graph = nullptr;
  const auto stream = streams::find(hStream, context);
  const auto result = stream ? capture::end(hStream, *stream, graph) : CUDA_ERROR_INVALID_HANDLE;
  if (phGraph) *phGraph = graph;  // who captured into a graph that was there knows it
  return result;
}

CUresult StreamIsCapturing(Context& context, CUstream hStream, CUstreamCaptureStatus* captureStatus) {
  return StreamGetCaptureInfo(context, hStream, captureStatus, nullptr);
}

CUresult StreamGetCaptureInfo(Context& context, CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                              cuuint64_t* id_out) {
  return StreamGetCaptureInfo_v2(context, hStream, captureStatus_out, id_out, nullptr, nullptr, nullptr);
}

CUresult StreamGetCaptureInfo_v2(Context& context, CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                 cuuint64_t* id_out, CUgraph* graph_out, const CUgraphNode** dependencies_out,
                                 std::size_t* numDependencies_out) {
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  *captureStatus_out = CU_STREAM_CAPTURE_STATUS_NONE;
  const auto guard = graphs::guard();
  const auto capture = capture::of(*stream);
  if (!capture) return captures::check_uncaptured(*stream, false);
  *captureStatus_out = capture->is_invalid() ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (id_out) *id_out = capture->id;
  if (graph_out) *graph_out = capture->graph;
  const auto& front = capture->member(*stream)->front;
  if (dependencies_out) *dependencies_out = front.data();  // theirs until the stream is handed something
  if (numDependencies_out) *numDependencies_out = front.size();
  return CUDA_SUCCESS;
}

CUresult StreamGetCaptureInfo_v3(Context& context, CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                 cuuint64_t* id_out, CUgraph* graph_out, const CUgraphNode** dependencies_out,
                                 const CUgraphEdgeData** edgeData_out, std::size_t* numDependencies_out) {
  std::size_t count = 0;
  const auto result =
      StreamGetCaptureInfo_v2(context, hStream, captureStatus_out, id_out, graph_out, dependencies_out, &count);
  if (result != CUDA_SUCCESS) return result;
  if (numDependencies_out) *numDependencies_out = count;
  if (edgeData_out) *edgeData_out = plain_edges(count);
  return CUDA_SUCCESS;
}

CUresult StreamUpdateCaptureDependencies(Context& context, CUstream hStream, CUgraphNode* dependencies,
                                         std::size_t numDependencies, unsigned int flags) {
  if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (numDependencies > 0 && !dependencies))
    return CUDA_ERROR_INVALID_VALUE;
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  const auto guard = graphs::guard();
  const auto capture = capture::of(*stream);
  const auto graph = graphs::find(capture ? capture->graph : nullptr);
  if (!graph) return CUDA_ERROR_ILLEGAL_STATE;
  const std::span nodes(dependencies, numDependencies);
  if (!graphs::are_nodes_of(*graph, nodes)) return CUDA_ERROR_INVALID_VALUE;
  auto& front = capture->member(*stream)->front;
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) front.clear();
  for (const auto node : nodes)
    if (std::find(front.begin(), front.end(), node) == front.end()) front.push_back(node);
  return CUDA_SUCCESS;
}

CUresult StreamUpdateCaptureDependencies_v2(Context& context, CUstream hStream, CUgraphNode* dependencies,
                                            const CUgraphEdgeData*, std::size_t numDependencies, unsigned int flags) {
  return StreamUpdateCaptureDependencies(context, hStream, dependencies, numDependencies, flags);
}

}  // namespace nvmlkit::cuda::functions
