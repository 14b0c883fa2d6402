#include "libraries/cudnn/functions/cuda_graphs.hpp"

#include <dlfcn.h>

#include "libraries/common/find_call.hpp"
#include "libraries/cudnn/functions/graphs.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

struct GraphCalls {
  decltype(&cuda::cuStreamCreate) create_stream = nullptr;
  decltype(&cuda::cuStreamDestroy_v2) destroy_stream = nullptr;
  decltype(&cuda::cuStreamBeginCaptureToGraph) begin = nullptr;
  decltype(&cuda::cuStreamEndCapture) end = nullptr;
  decltype(&cuda::cuGraphGetNodes) get_nodes = nullptr;
  decltype(&cuda::cuGraphDestroyNode) destroy_node = nullptr;
};

// Null where the driver has none of them.
const GraphCalls* graph_calls() {
  static const GraphCalls* const the = []() -> const GraphCalls* {
    static GraphCalls made;
    using libraries::find_call;
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const bool is_whole = library && find_call(library, "cuStreamCreate", made.create_stream) &&
                          find_call(library, "cuStreamDestroy_v2", made.destroy_stream) &&
                          find_call(library, "cuStreamBeginCaptureToGraph", made.begin) &&
                          find_call(library, "cuStreamEndCapture", made.end) &&
                          find_call(library, "cuGraphGetNodes", made.get_nodes) &&
                          find_call(library, "cuGraphDestroyNode", made.destroy_node);
    return is_whole ? &made : nullptr;
  }();
  return the;
}

// A stream of its own, in which work becomes nodes.
class Capture {
 public:
  Capture(const GraphCalls& calls, CUgraph graph) : calls_(calls) {
    if (calls_.create_stream(&stream_, cuda::CU_STREAM_NON_BLOCKING) != cuda::CUDA_SUCCESS) return;
    is_open_ =
        calls_.begin(stream_, graph, nullptr, nullptr, 0, cuda::CU_STREAM_CAPTURE_MODE_RELAXED) == cuda::CUDA_SUCCESS;
  }
  ~Capture() {
    CUgraph same = nullptr;
    if (is_open_) calls_.end(stream_, &same);
    if (stream_) calls_.destroy_stream(stream_);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  bool is_open() const { return is_open_; }
  CUstream stream() const { return stream_; }

 private:
  const GraphCalls& calls_;
  CUstream stream_ = nullptr;
  bool is_open_ = false;
};

}  // namespace

cudnnStatus_t populate_graph(const Call& call, BackendDescriptor* plan, BackendDescriptor* pack, CUgraph graph) {
  if (!graph) return bad("no graph");
  if (!graph_calls() || libraries::ensure_context(*call.handle.driver) != cuda::CUDA_SUCCESS)
    return refuse(CUDNN_STATUS_EXECUTION_FAILED, "there is no driver with graphs");
  const Capture capture(*graph_calls(), graph);
  if (!capture.is_open()) return bad("the graph is none");
  Handle handle = call.handle;
  handle.stream = capture.stream();
  return execute(Call{handle, call.name}, plan, pack);
}

cudnnStatus_t update_graph(const Call& call, BackendDescriptor* plan, BackendDescriptor* pack, CUgraph graph) {
  std::size_t count = 0;
  if (!graph || !graph_calls() || graph_calls()->get_nodes(graph, nullptr, &count) != cuda::CUDA_SUCCESS)
    return bad("the graph is none");
  std::vector<cuda::CUgraphNode> before(count);
  graph_calls()->get_nodes(graph, before.data(), &count);
  const auto status = populate_graph(call, plan, pack, graph);
  for (std::size_t k = 0; k < count && status == CUDNN_STATUS_SUCCESS; ++k) graph_calls()->destroy_node(before[k]);
  return status;
}

}  // namespace nvmlkit::cudnn::functions
