// Captured streams: their work becomes nodes of a graph.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "driver/cuda/graphs/graph.hpp"
#include "driver/cuda/streams/streams.hpp"

namespace nvmlkit::cuda {

struct Capture {
  unsigned long long id = 0;
  CUgraph graph = nullptr;
  bool owns_graph = true;
  CUstream origin = nullptr;
  CUcontext context = nullptr;
  bool blocks_legacy = false;  // the default stream would wait for it
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;
  bool is_invalid = false;
  std::vector<std::weak_ptr<Stream>> streams;
};

namespace capture {

// Into a graph that is there, behind some of its nodes, or into a new one.
CUresult begin(CUstream handle, const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode, CUgraph into = nullptr,
               std::span<const CUgraphNode> behind = {});
CUresult end(CUstream handle, Stream& stream, CUgraph& graph);
CUgraph graph_of(const Stream& stream);

// A node behind what the stream was handed before.
CUresult add(Stream& stream, Work work);
// The default stream waits for captured streams, which is no work of a graph.
CUresult check_uncaptured(const Stream& stream);
// A call that cannot be part of a graph.
CUresult refuse(Stream& stream);

// An event of a captured stream stands for its nodes; a stream that waits for it is captured from then on.
CUresult record(Stream& stream, Event& event);
CUresult wait(const std::shared_ptr<Stream>& stream, const Event& event);

}  // namespace capture
}  // namespace nvmlkit::cuda
