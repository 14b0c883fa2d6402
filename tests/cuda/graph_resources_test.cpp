// What graphs hold: memory, conditions, waits for memory, what is said of edges; and what ends of handles mean.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "resources.hpp"

namespace nvmlkit::cuda_test {
namespace {

class CudaGraphs : public CudaResources {
 protected:
  CUgraph graph() {
    CUgraph made = nullptr;
    EXPECT_EQ(driver().cuGraphCreate(&made, 0u), CUDA_SUCCESS);
    return made;
  }
};

// A node that does the graph in `body`, which the driver makes, where the condition is not 0.
struct Decision {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  int reserved[3] = {};
  CUgraphConditionalHandle condition = 0;
  CUgraphConditionalNodeType kind = CU_GRAPH_COND_TYPE_IF;
  unsigned size = 1;
  CUgraph* body = nullptr;
  CUcontext context = nullptr;
  char rest[208] = {};
};

TEST_F(CudaGraphs, NodesWithinAnExecutableAreChanged) {
  const auto own = graph(), part = graph();
  const auto where = allocate(8);
  CUDA_MEMSET_NODE_PARAMS fill{where, 0, 5, 4, 1, 1};
  CUgraphNode node = nullptr, of_body = nullptr, of_child = nullptr;
  Decision decision;
  decision.context = context_;
  ASSERT_EQ(driver().cuGraphConditionalHandleCreate(&decision.condition, own, context_, 1u, 1u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphAddNode(&node, own, nullptr, std::size_t{0}, as<CUgraphNodeParams>(&decision)),
            CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphAddMemsetNode(&of_body, *decision.body, nullptr, std::size_t{0}, &fill, context_),
            CUDA_SUCCESS);
  fill.dst += 4;
  ASSERT_EQ(driver().cuGraphAddMemsetNode(&node, part, nullptr, std::size_t{0}, &fill, context_), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphAddChildGraphNode(&node, own, nullptr, std::size_t{0}, part), CUDA_SUCCESS);
  CUgraph child = nullptr;
  std::size_t count = 1;
  ASSERT_EQ(driver().cuGraphChildGraphNodeGetGraph(node, &child), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphGetNodes(child, &of_child, &count), CUDA_SUCCESS);
  CUgraphExec ready = nullptr;
  ASSERT_EQ(driver().cuGraphInstantiateWithFlags(&ready, own, 0ull), CUDA_SUCCESS);
  fill.value = 8;
  EXPECT_EQ(driver().cuGraphExecMemsetNodeSetParams(ready, of_child, &fill, context_), CUDA_SUCCESS);
  fill.dst = where;
  fill.value = 7;
  EXPECT_EQ(driver().cuGraphExecMemsetNodeSetParams(ready, of_body, &fill, context_), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphLaunch(ready, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(at(where), 7u);
  EXPECT_EQ(at(where + 4), 8u);
}

TEST_F(CudaGraphs, AChildIsMoved) {
  const auto own = graph(), part = graph();
  const auto where = allocate(4);
  CUDA_MEMSET_NODE_PARAMS fill{where, 0, 5, 4, 1, 1};
  CUgraphNode inner = nullptr, node = nullptr;
  ASSERT_EQ(driver().cuGraphAddMemsetNode(&inner, part, nullptr, std::size_t{0}, &fill, context_), CUDA_SUCCESS);
  struct {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_GRAPH;
    int reserved[3] = {};
    CUgraph graph = nullptr;
    CUgraphChildGraphNodeOwnership ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    char rest[228] = {};
  } child;
  child.graph = part;
  const auto add = [&] {
    return driver().cuGraphAddNode(&node, own, nullptr, std::size_t{0}, as<CUgraphNodeParams>(&child));
  };
  ASSERT_EQ(add(), CUDA_SUCCESS);
  EXPECT_EQ(add(), CUDA_ERROR_INVALID_VALUE);  // it has a parent
  CUgraph same = nullptr;
  ASSERT_EQ(driver().cuGraphChildGraphNodeGetGraph(node, &same), CUDA_SUCCESS);
  EXPECT_EQ(same, part);
  CUgraphExec ready = nullptr;
  EXPECT_EQ(driver().cuGraphInstantiateWithFlags(&ready, part, 0ull), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuGraphDestroy(part), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(driver().cuGraphInstantiateWithFlags(&ready, own, 0ull), CUDA_SUCCESS);
  fill.value = 6;
  EXPECT_EQ(driver().cuGraphExecMemsetNodeSetParams(ready, inner, &fill, context_), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphLaunch(ready, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(at(where), 6u);
  EXPECT_EQ(driver().cuGraphDestroy(own), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuGraphInstantiateWithFlags(&ready, part, 0ull),
            CUDA_ERROR_INVALID_VALUE);  // it ended with its parent
}

TEST_F(CudaGraphs, HandlesEndWithWhatTheyName) {
  auto own = graph();
  CUgraphConditionalHandle condition = 0;
  EXPECT_EQ(driver().cuGraphConditionalHandleCreate(&condition, own, context_, 0u, 2u), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(driver().cuGraphConditionalHandleCreate(&condition, own, context_, 0u, 1u), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuGraphDestroy(own), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuGraphConditionalHandleCreate(&condition, own, context_, 0u, 1u), CUDA_ERROR_INVALID_VALUE);
  own = graph();
  Decision what;
  what.condition = condition;
  what.context = context_;
  CUgraphNode node = nullptr;
  EXPECT_EQ(driver().cuGraphAddNode(&node, own, nullptr, std::size_t{0}, as<CUgraphNodeParams>(&what)),
            CUDA_ERROR_INVALID_VALUE);  // it ended with its graph
  EXPECT_EQ(driver().cuGraphAddMemFreeNode(&node, own, nullptr, std::size_t{0}, allocate(4)),
            CUDA_ERROR_INVALID_VALUE);  // no graph's memory
  CUDA_MEM_ALLOC_NODE_PARAMS memory{};
  memory.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  memory.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 99};
  memory.bytesize = 64;
  const auto add_memory = [&] { return driver().cuGraphAddMemAllocNode(&node, own, nullptr, std::size_t{0}, &memory); };
  EXPECT_EQ(add_memory(), CUDA_ERROR_INVALID_VALUE);
  memory.poolProps.location.id = 0;
  ASSERT_EQ(add_memory(), CUDA_SUCCESS);
  const auto address = memory.dptr;
  EXPECT_EQ(driver().cuGraphMemFreeNodeGetParams(node, &memory.dptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuGraphDestroy(own), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuGraphMemAllocNodeGetParams(node, &memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);  // no launch allocated it
}

// As text: a kernel by its name, with a flag also how it is launched.
TEST_F(CudaGraphs, ArePrintedWithTheNamesOfKernels) {
  const auto own = graph();
  CUDA_KERNEL_NODE_PARAMS what{};
  auto where = allocate(4);
  unsigned added = 0;
  void* arguments[] = {&where, &added};
  what.func = tell();
  what.gridDimX = 2, what.blockDimX = 32;
  what.gridDimY = what.gridDimZ = what.blockDimY = what.blockDimZ = 1;
  what.kernelParams = arguments;
  CUgraphNode kernel = nullptr, none = nullptr;
  ASSERT_EQ(driver().cuGraphAddKernelNode_v2(&kernel, own, nullptr, std::size_t{0}, &what), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphAddEmptyNode(&none, own, &kernel, std::size_t{1}), CUDA_SUCCESS);
  const std::string path = testing::TempDir() + "nvmlkit-graph-" + std::to_string(getpid());
  const auto printed = [&](unsigned flags) {
    EXPECT_EQ(driver().cuGraphDebugDotPrint(own, path.c_str(), flags), CUDA_SUCCESS);
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const auto plain = printed(0), whole = printed(CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
  std::remove(path.c_str());
  EXPECT_NE(plain.find("[label=\"kernel\\ntell\"]"), std::string::npos) << plain;
  EXPECT_NE(plain.find("[label=\"empty\"]"), std::string::npos) << plain;
  EXPECT_NE(plain.find("\" -> \""), std::string::npos) << plain;
  EXPECT_NE(whole.find("[label=\"kernel\\ntell<<<(2,1,1),(32,1,1),0>>>\"]"), std::string::npos) << whole;
  EXPECT_EQ(driver().cuGraphDestroy(own), CUDA_SUCCESS);
}

// Waits for memory and writes of it, as nodes and out of a captured stream.
TEST_F(CudaGraphs, AGraphWritesMemory) {
  const auto own = graph();
  const auto where = allocate(8);
  struct Operation {
    CUstreamBatchMemOpType type;
    CUdeviceptr address;
    std::uint64_t value;
    unsigned flags = 0;
    std::uint64_t alias = 0, reserved = 0;
  };
  Operation write{CU_STREAM_MEM_OP_WRITE_VALUE_32, where, 7};
  CUDA_BATCH_MEM_OP_NODE_PARAMS what{context_, 1, reinterpret_cast<CUstreamBatchMemOpParams*>(&write), 0};
  CUgraphNode node = nullptr;
  write.address += 1;
  EXPECT_EQ(driver().cuGraphAddBatchMemOpNode(&node, own, nullptr, std::size_t{0}, &what), CUDA_ERROR_INVALID_VALUE);
  write.address = where;
  ASSERT_EQ(driver().cuGraphAddBatchMemOpNode(&node, own, nullptr, std::size_t{0}, &what), CUDA_SUCCESS);
  CUDA_BATCH_MEM_OP_NODE_PARAMS told{};
  ASSERT_EQ(driver().cuGraphBatchMemOpNodeGetParams(node, &told), CUDA_SUCCESS);
  EXPECT_EQ(told.count, 1u);
  EXPECT_EQ(std::memcmp(told.paramArray, &write, sizeof write), 0);
  CUstream stream = nullptr;
  ASSERT_EQ(driver().cuStreamCreate(&stream, 0u), CUDA_SUCCESS);
  ASSERT_EQ(
      driver().cuStreamBeginCaptureToGraph(stream, own, &node, nullptr, std::size_t{1}, CU_STREAM_CAPTURE_MODE_GLOBAL),
      CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamWaitValue32_v2(stream, where, 7u, 1u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamWriteValue32_v2(stream, where + 4, 9u, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamEndCapture(stream, nullptr), CUDA_SUCCESS);
  CUgraphExec ready = nullptr;
  ASSERT_EQ(driver().cuGraphInstantiateWithFlags(&ready, own, 0ull), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphLaunch(ready, stream), CUDA_SUCCESS);
  EXPECT_EQ(at(where), 7u);
  EXPECT_EQ(at(where + 4), 9u);
  write.value = 11;
  ASSERT_EQ(driver().cuGraphExecBatchMemOpNodeSetParams(ready, node, &what), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuGraphBatchMemOpNodeSetParams(nullptr, &what), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuGraphExecDestroy(ready), CUDA_SUCCESS);
}

// An event stands for where it was recorded last.
TEST_F(CudaGraphs, AnEventLeavesACapture) {
  CUstream captured = nullptr, joins = nullptr, plain = nullptr;
  for (auto* const stream : {&captured, &joins, &plain}) {
    ASSERT_EQ(driver().cuStreamCreate(stream, static_cast<unsigned>(CU_STREAM_NON_BLOCKING)), CUDA_SUCCESS);
  }
  CUevent event = nullptr;
  ASSERT_EQ(driver().cuEventCreate(&event, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamBeginCapture_v2(captured, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuEventRecord(event, captured), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventQuery(event), CUDA_ERROR_CAPTURED_EVENT);
  ASSERT_EQ(driver().cuEventRecord(event, plain), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventSynchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamWaitEvent(joins, event, 0u), CUDA_SUCCESS);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  EXPECT_EQ(driver().cuStreamIsCapturing(joins, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(driver().cuStreamWaitEvent(captured, event, 0u), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CUgraph made = nullptr;
  EXPECT_EQ(driver().cuStreamEndCapture(captured, &made), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(made, nullptr);
}

// The legacy stream cannot be used while a blocking stream is captured. Who asks about it leaves the capture.
TEST_F(CudaGraphs, AQuestionAboutTheLegacyStreamLeavesACapture) {
  CUstream captured = nullptr;
  ASSERT_EQ(driver().cuStreamCreate(&captured, 0u), CUDA_SUCCESS);
  const auto begin = [&] { return driver().cuStreamBeginCapture_v2(captured, CU_STREAM_CAPTURE_MODE_RELAXED); };
  ASSERT_EQ(begin(), CUDA_SUCCESS);
  CUstreamCaptureStatus status{};
  auto* const legacy = reinterpret_cast<CUstream>(1);
  EXPECT_EQ(driver().cuStreamIsCapturing(legacy, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(driver().cuStreamIsCapturing(nullptr, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(driver().cuStreamIsCapturing(captured, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CUgraph made = nullptr;
  EXPECT_EQ(driver().cuStreamEndCapture(captured, &made), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuGraphDestroy(made), CUDA_SUCCESS);
  // Work for it ends the capture.
  ASSERT_EQ(begin(), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemsetD8Async(allocate(4), 0, std::size_t{4}, nullptr), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(driver().cuStreamEndCapture(captured, &made), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(driver().cuStreamDestroy_v2(captured), CUDA_SUCCESS);
}

// What is said of an edge is kept; who has no place for it is told that there is some.
TEST_F(CudaGraphs, EdgesHaveData) {
  const auto own = graph();
  const auto where = allocate(4);
  auto address = where;
  unsigned added = 0;
  void* arguments[] = {&address, &added};
  CUDA_KERNEL_NODE_PARAMS what{};
  what.func = tell();
  what.gridDimX = what.gridDimY = what.gridDimZ = what.blockDimX = what.blockDimY = what.blockDimZ = 1;
  what.kernelParams = arguments;
  std::array<CUgraphNode, 3> nodes{};
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(driver().cuGraphAddKernelNode_v2(&nodes[i], own, nullptr, std::size_t{0}, &what), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphAddEmptyNode(&nodes[2], own, nullptr, std::size_t{0}), CUDA_SUCCESS);
  CUgraphEdgeData data{1, 0, 1, {}}, told{};
  const auto connect = [&](int from, int to) {
    return driver().cuGraphAddDependencies_v2(own, &nodes[from], &nodes[to], &data, std::size_t{1});
  };
  EXPECT_EQ(connect(0, 2), CUDA_ERROR_INVALID_VALUE);  // not a kernel
  ASSERT_EQ(connect(0, 1), CUDA_SUCCESS);
  CUgraphNode from = nullptr, to = nullptr;
  std::size_t count = 1;
  EXPECT_EQ(driver().cuGraphGetEdges(own, &from, &to, &count), CUDA_ERROR_LOSSY_QUERY);
  ASSERT_EQ(driver().cuGraphGetEdges_v2(own, &from, &to, &told, &count), CUDA_SUCCESS);
  EXPECT_TRUE(from == nodes[0] && to == nodes[1] && told.type == 1 && told.from_port == 1);
  data.from_port = 2;  // removal does not look at it
  EXPECT_EQ(driver().cuGraphRemoveDependencies_v2(own, &from, &to, &data, std::size_t{1}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuGraphRemoveDependencies_v2(own, &from, &to, &told, std::size_t{1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuGraphGetEdges(own, nullptr, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
