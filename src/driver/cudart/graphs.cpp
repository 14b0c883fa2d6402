// Graphs and their captures: nodes and edges, whatever the nodes do.
#include "driver/cudart/driver_graph_api.hpp"
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {
namespace {

using Nodes = const CUgraphNode*;
using Edges = CUgraphEdgeData*;

Error instantiate(CUgraphExec* out, CUgraph graph, unsigned long long flags) {
  return with_context([&] { return cuGraphInstantiateWithFlags(out, graph, flags); });
}

}  // namespace

#define NVMLKIT_PASS(name, call, ...)          \
  NVMLKIT_RUNTIME Error name(__VA_ARGS__) {    \
    return with_context([&] { return call; }); \
  }
// The same, and its variant for programs with a default stream per thread.
#define NVMLKIT_PASS_STREAM(name, call, ...)                        \
  NVMLKIT_PASS(name, call, CUstream stream, __VA_ARGS__)            \
  NVMLKIT_RUNTIME Error name##_ptsz(CUstream stream, __VA_ARGS__) { \
    stream = per_thread(stream);                                    \
    return with_context([&] { return call; });                      \
  }

NVMLKIT_PASS_STREAM(cudaStreamBeginCapture, cuStreamBeginCapture_v2(stream, mode), CUstreamCaptureMode mode)
NVMLKIT_PASS_STREAM(cudaStreamBeginCaptureToGraph,
                    cuStreamBeginCaptureToGraph(stream, graph, nodes, edges, count, mode), CUgraph graph, Nodes nodes,
                    const CUgraphEdgeData* edges, std::size_t count, CUstreamCaptureMode mode)
NVMLKIT_PASS_STREAM(cudaStreamEndCapture, cuStreamEndCapture(stream, graph), CUgraph* graph)
#if NVMLKIT_CUDART_VERSION >= 13000
NVMLKIT_PASS_STREAM(cudaStreamGetCaptureInfo, cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, edges, count),
                    CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph, Nodes* nodes,
                    const CUgraphEdgeData** edges, std::size_t* count)
NVMLKIT_PASS_STREAM(cudaStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies(stream, nodes, count, flags),
                    CUgraphNode* nodes, const CUgraphEdgeData*, std::size_t count, unsigned flags)
#else
NVMLKIT_PASS_STREAM(cudaStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr),
                    CUstreamCaptureStatus* status, cuuint64_t* id)
NVMLKIT_PASS_STREAM(cudaStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count),
                    CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph, Nodes* nodes, std::size_t* count)
NVMLKIT_PASS_STREAM(cudaStreamGetCaptureInfo_v3,
                    cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, edges, count),
                    CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph, Nodes* nodes,
                    const CUgraphEdgeData** edges, std::size_t* count)
NVMLKIT_PASS_STREAM(cudaStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies(stream, nodes, count, flags),
                    CUgraphNode* nodes, std::size_t count, unsigned flags)
NVMLKIT_PASS_STREAM(cudaStreamUpdateCaptureDependencies_v2,
                    cuStreamUpdateCaptureDependencies(stream, nodes, count, flags), CUgraphNode* nodes,
                    const CUgraphEdgeData*, std::size_t count, unsigned flags)
#endif

NVMLKIT_PASS(cudaGraphCreate, cuGraphCreate(graph, flags), CUgraph* graph, unsigned flags)
NVMLKIT_PASS(cudaGraphDestroy, cuGraphDestroy(graph), CUgraph graph)
NVMLKIT_PASS(cudaGraphClone, cuGraphClone(clone, graph), CUgraph* clone, CUgraph graph)
NVMLKIT_PASS(cudaGraphNodeFindInClone, cuGraphNodeFindInClone(out, node, clone), CUgraphNode* out, CUgraphNode node,
             CUgraph clone)
NVMLKIT_PASS(cudaGraphDebugDotPrint, cuGraphDebugDotPrint(graph, path, flags), CUgraph graph, const char* path,
             unsigned flags)
NVMLKIT_PASS(cudaGraphNodeGetType, cuGraphNodeGetType(node, type), CUgraphNode node, CUgraphNodeType* type)
NVMLKIT_PASS(cudaGraphGetNodes, cuGraphGetNodes(graph, nodes, count), CUgraph graph, CUgraphNode* nodes,
             std::size_t* count)
NVMLKIT_PASS(cudaGraphGetRootNodes, cuGraphGetRootNodes(graph, nodes, count), CUgraph graph, CUgraphNode* nodes,
             std::size_t* count)
NVMLKIT_PASS(cudaGraphDestroyNode, cuGraphDestroyNode(node), CUgraphNode node)

// From CUDA 13 on edges have data; before, functions of that kind have names of their own.
#if NVMLKIT_CUDART_VERSION >= 13000
#define NVMLKIT_OF_EDGES(name) name
#else
#define NVMLKIT_OF_EDGES(name) name##_v2
NVMLKIT_PASS(cudaGraphGetEdges, cuGraphGetEdges_v2(graph, from, to, nullptr, count), CUgraph graph, CUgraphNode* from,
             CUgraphNode* to, std::size_t* count)
NVMLKIT_PASS(cudaGraphNodeGetDependencies, cuGraphNodeGetDependencies_v2(node, nodes, nullptr, count), CUgraphNode node,
             CUgraphNode* nodes, std::size_t* count)
NVMLKIT_PASS(cudaGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes_v2(node, nodes, nullptr, count),
             CUgraphNode node, CUgraphNode* nodes, std::size_t* count)
NVMLKIT_PASS(cudaGraphAddDependencies, cuGraphAddDependencies(graph, from, to, count), CUgraph graph, Nodes from,
             Nodes to, std::size_t count)
NVMLKIT_PASS(cudaGraphRemoveDependencies, cuGraphRemoveDependencies(graph, from, to, count), CUgraph graph, Nodes from,
             Nodes to, std::size_t count)
#endif
NVMLKIT_PASS(NVMLKIT_OF_EDGES(cudaGraphGetEdges), cuGraphGetEdges_v2(graph, from, to, edges, count), CUgraph graph,
             CUgraphNode* from, CUgraphNode* to, Edges edges, std::size_t* count)
NVMLKIT_PASS(NVMLKIT_OF_EDGES(cudaGraphNodeGetDependencies), cuGraphNodeGetDependencies_v2(node, nodes, edges, count),
             CUgraphNode node, CUgraphNode* nodes, Edges edges, std::size_t* count)
NVMLKIT_PASS(NVMLKIT_OF_EDGES(cudaGraphNodeGetDependentNodes),
             cuGraphNodeGetDependentNodes_v2(node, nodes, edges, count), CUgraphNode node, CUgraphNode* nodes,
             Edges edges, std::size_t* count)
NVMLKIT_PASS(NVMLKIT_OF_EDGES(cudaGraphAddDependencies), cuGraphAddDependencies_v2(graph, from, to, edges, count),
             CUgraph graph, Nodes from, Nodes to, const CUgraphEdgeData* edges, std::size_t count)
NVMLKIT_PASS(NVMLKIT_OF_EDGES(cudaGraphRemoveDependencies), cuGraphRemoveDependencies_v2(graph, from, to, edges, count),
             CUgraph graph, Nodes from, Nodes to, const CUgraphEdgeData* edges, std::size_t count)
#undef NVMLKIT_OF_EDGES

// CUDA 11 tells what is wrong with a graph by the node and a text, later ones take flags.
#if NVMLKIT_CUDART_VERSION >= 12000
NVMLKIT_RUNTIME Error cudaGraphInstantiate(CUgraphExec* out, CUgraph graph, unsigned long long flags) {
  return instantiate(out, graph, flags);
}
NVMLKIT_PASS(cudaGraphExecUpdate, cuGraphExecUpdate_v2(ready, graph, result), CUgraphExec ready, CUgraph graph,
             CUgraphExecUpdateResultInfo* result)
#else
NVMLKIT_PASS(cudaGraphInstantiate, cuGraphInstantiate_v2(out, graph, node, text, size), CUgraphExec* out, CUgraph graph,
             CUgraphNode* node, char* text, std::size_t size)
NVMLKIT_PASS(cudaGraphExecUpdate, cuGraphExecUpdate(ready, graph, node, result), CUgraphExec ready, CUgraph graph,
             CUgraphNode* node, CUgraphExecUpdateResult* result)
#endif
NVMLKIT_RUNTIME Error cudaGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph, unsigned long long flags) {
  return instantiate(out, graph, flags);
}
NVMLKIT_PASS(cudaGraphInstantiateWithParams, cuGraphInstantiateWithParams(out, graph, params), CUgraphExec* out,
             CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params)
NVMLKIT_PASS(cudaGraphExecGetFlags, cuGraphExecGetFlags(ready, flags), CUgraphExec ready, cuuint64_t* flags)
NVMLKIT_PASS(cudaGraphExecDestroy, cuGraphExecDestroy(ready), CUgraphExec ready)
NVMLKIT_PASS(cudaGraphNodeSetEnabled, cuGraphNodeSetEnabled(ready, node, on), CUgraphExec ready, CUgraphNode node,
             unsigned on)
NVMLKIT_PASS(cudaGraphNodeGetEnabled, cuGraphNodeGetEnabled(ready, node, on), CUgraphExec ready, CUgraphNode node,
             unsigned* on)
NVMLKIT_PASS(cudaGraphUpload, cuGraphUpload(ready, stream), CUgraphExec ready, CUstream stream)
NVMLKIT_PASS(cudaGraphUpload_ptsz, cuGraphUpload(ready, per_thread(stream)), CUgraphExec ready, CUstream stream)
NVMLKIT_PASS(cudaGraphLaunch, cuGraphLaunch(ready, stream), CUgraphExec ready, CUstream stream)
NVMLKIT_PASS(cudaGraphLaunch_ptsz, cuGraphLaunch(ready, per_thread(stream)), CUgraphExec ready, CUstream stream)

}  // namespace nvmlkit::cudart
