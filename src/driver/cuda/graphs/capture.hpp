// Captured streams: their work becomes nodes of a graph.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "driver/cuda/graphs/graph.hpp"
#include "driver/cuda/work/capture.hpp"

namespace nvmlkit::cuda {

// Guarded by the mutex of graphs.
class GraphCapture final : public Capture {
 public:
  using Capture::Capture;

  CUresult add(Stream& stream, StreamWork work) override { return add_node(stream, as_node(std::move(work))); }
  // A node behind what the stream was handed before.
  CUresult add_node(Stream& stream, NodeWork work);

  struct Member {
    std::weak_ptr<Stream> stream;
    std::vector<CUgraphNode> front;  // the nodes that its next one will depend on
  };
  Member* member(const Stream& stream);  // null for streams of no or another capture

  unsigned long long id = 0;
  CUgraph graph = nullptr;
  bool owns_graph = true;
  CUstream origin = nullptr;
  std::map<const Stream*, Member> members;
};

// Where an event was recorded: it stands for these nodes.
struct CapturedPlace {
  std::weak_ptr<GraphCapture> capture;
  std::vector<CUgraphNode> nodes;
};

namespace capture {

// Into a graph that is there, behind some of its nodes, or into a new one.
CUresult begin(CUstream handle, const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode, CUgraph into = nullptr,
               std::span<const CUgraphNode> behind = {});
CUresult end(CUstream handle, Stream& stream, CUgraph& graph);

// Null for a stream that is not captured.
std::shared_ptr<GraphCapture> of(const Stream& stream);

// Work that only graphs have.
CUresult add(Stream& stream, NodeWork work);

// An event of a captured stream stands for its nodes; a stream that waits for it is captured from then on.
CUresult record(Stream& stream, Event& event);
// A question about such an event cannot be kept: its capture is invalid. Returns the error of the call.
CUresult refuse(const Event& event);
CUresult wait(const std::shared_ptr<Stream>& stream, const Event& event);

}  // namespace capture
}  // namespace nvmlkit::cuda
