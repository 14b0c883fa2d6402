// Nodes of graphs that allocate and decide, what graphs hold, attributes of launches. A part of graphs.cu.
#pragma once

#include <vector>

#include "check.hpp"

__global__ void fill_with(int* values, int count, int value) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) values[i] = value;
}
__global__ void add_all(int* sum, const int* values, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) atomicAdd(sum, values[i]);
}
// Counts down, and tells the nodes that look at the handle.
__global__ void count_down(int* left, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, --*left > 0);
}
__global__ void choose(cudaGraphConditionalHandle handle, unsigned which) { cudaGraphSetConditional(handle, which); }

inline unsigned long long of_graphs(cudaGraphMemAttributeType which) {
  unsigned long long bytes = 0;
  OK(cudaDeviceGetGraphMemAttribute(0, which, &bytes));
  return bytes;
}

// Memory of a graph: asked for in a capture, used and freed by each launch.
inline void captured_memory() {
  constexpr int kCount = 1 << 16, kBytes = kCount * sizeof(int);
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  int* sum = nullptr;
  OK(cudaMalloc(&sum, sizeof *sum));
  OK(cudaMemset(sum, 0, sizeof *sum));
  std::size_t free_before = 0, free_after = 0, total = 0;
  OK(cudaMemGetInfo(&free_before, &total));
  int* values = nullptr;
  cudaGraph_t graph;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(&values, kBytes, stream));
  fill_with<<<1, 256, 0, stream>>>(values, kCount, 1);
  add_all<<<1, 256, 0, stream>>>(sum, values, kCount);
  OK(cudaFreeAsync(values, stream));
  EXPECT(cudaFreeAsync(sum, stream) == cudaErrorInvalidValue);  // is of no graph
  OK(cudaStreamEndCapture(stream, &graph));
  cudaGetLastError();
  EXPECT(of_graphs(cudaGraphMemAttrUsedMemCurrent) == 0);
  cudaGraphExec_t ready, second;
  OK(cudaGraphInstantiate(&ready, graph, 0));
  EXPECT(cudaGraphInstantiate(&second, graph, 0) == cudaErrorNotSupported);
  EXPECT(cudaGraphClone(&graph, graph) == cudaErrorNotSupported);
  for (int i = 0; i < 2; ++i) OK(cudaGraphLaunch(ready, stream));
  OK(cudaStreamSynchronize(stream));
  int host = 0;
  OK(cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host == 2 * kCount);
  EXPECT(of_graphs(cudaGraphMemAttrUsedMemCurrent) == 0 && of_graphs(cudaGraphMemAttrUsedMemHigh) == kBytes);
  // What graphs used stays theirs until it is trimmed.
  OK(cudaMemGetInfo(&free_after, &total));
  const auto reserved = of_graphs(cudaGraphMemAttrReservedMemCurrent);  // whole blocks of the GPU
  EXPECT(reserved >= kBytes && free_before - free_after == reserved);
  OK(cudaDeviceGraphMemTrim(0));
  OK(cudaMemGetInfo(&free_after, &total));
  EXPECT(of_graphs(cudaGraphMemAttrReservedMemCurrent) == 0 && free_before == free_after);
  unsigned long long none = 0;
  OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &none));
  EXPECT(of_graphs(cudaGraphMemAttrUsedMemHigh) == 0);
  EXPECT(cudaMemset(values, 0, 4) != cudaSuccess);  // nothing is there between launches
  cudaGetLastError();
  OK(cudaGraphExecDestroy(ready));
  OK(cudaGraphDestroy(graph));
}

// Memory that outlives the launch is freed by the program, or by the next launch.
inline void memory_that_stays() {
  cudaGraph_t graph;
  cudaGraphNode_t node, fill;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNodeParams what{};
  what.type = cudaGraphNodeTypeMemAlloc;
  what.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  what.alloc.poolProps.location = {cudaMemLocationTypeDevice, 0};
  what.alloc.bytesize = 4096;
  OK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &what));
  int* const values = static_cast<int*>(what.alloc.dptr);
  EXPECT(values);
  cudaGraphNodeParams launch{};
  launch.type = cudaGraphNodeTypeKernel;
  int count = 1024, value = 7;
  void* arguments[] = {const_cast<int**>(&values), &count, &value};
  launch.kernel.func = reinterpret_cast<void*>(fill_with);
  launch.kernel.gridDim = launch.kernel.blockDim = dim3(1);
  launch.kernel.kernelParams = arguments;
  OK(cudaGraphAddNode(&fill, graph, &node, nullptr, 1, &launch));
  cudaMemAllocNodeParams told{};
  OK(cudaGraphMemAllocNodeGetParams(node, &told));
  EXPECT(told.dptr == values && told.bytesize == 4096);
  cudaGraphExec_t ready;
  OK(cudaGraphInstantiate(&ready, graph, 0));
  OK(cudaGraphLaunch(ready, nullptr));
  OK(cudaDeviceSynchronize());
  int host = 0;
  OK(cudaMemcpy(&host, values + 1023, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host == 7);
  EXPECT(cudaGraphLaunch(ready, nullptr) == cudaErrorInvalidValue);  // it is there already
  cudaGetLastError();
  OK(cudaFree(values));
  OK(cudaGraphLaunch(ready, nullptr));
  OK(cudaDeviceSynchronize());
  OK(cudaGraphExecDestroy(ready));
  OK(cudaGraphInstantiate(&ready, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  for (int i = 0; i < 2; ++i) OK(cudaGraphLaunch(ready, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(of_graphs(cudaGraphMemAttrUsedMemCurrent) == 4096);
  OK(cudaFreeAsync(values, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(of_graphs(cudaGraphMemAttrUsedMemCurrent) == 0);
  EXPECT(cudaGraphDestroyNode(fill) == cudaErrorNotSupported);
  cudaGetLastError();
}

// while (--left > 0) ++rounds, and one of three numbers.
inline void decisions() {
  int *left = nullptr, *rounds = nullptr;
  OK(cudaMallocManaged(&left, sizeof *left));
  OK(cudaMallocManaged(&rounds, sizeof *rounds));
  *left = 5, *rounds = 0;
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle again, which;
  OK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
  OK(cudaGraphConditionalHandleCreate(&which, graph, 0, 0));
  cudaGraphNodeParams loop{};
  loop.type = cudaGraphNodeTypeConditional;
  loop.conditional.handle = again;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node, chooser, chosen;
  OK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  const auto body = loop.conditional.phGraph_out[0];
  OK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(rounds, 1);
  count_down<<<1, 1, 0, stream>>>(left, again);
  OK(cudaStreamEndCapture(stream, nullptr));
  EXPECT(cudaGraphDestroy(body) == cudaErrorInvalidValue);  // it is the node's

  cudaKernelNodeParams choice{};
  unsigned number = 2;
  void* arguments[] = {&which, &number};
  choice.func = reinterpret_cast<void*>(choose);
  choice.gridDim = choice.blockDim = dim3(1);
  choice.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&chooser, graph, &node, 1, &choice));
  cudaGraphNodeParams cases = loop;
  cases.conditional.handle = which;
  cases.conditional.type = cudaGraphCondTypeSwitch;
  cases.conditional.size = 3;
  OK(cudaGraphAddNode(&chosen, graph, &chooser, nullptr, 1, &cases));
  for (int i = 0; i < 3; ++i) {
    cudaMemsetParams fill{rounds, 0, static_cast<unsigned>(100 + i), 1, 1, 1};
    cudaGraphNode_t one;
    OK(cudaGraphAddMemsetNode(&one, cases.conditional.phGraph_out[i], nullptr, 0, &fill));
  }
  cudaGraphExec_t ready;
  OK(cudaGraphInstantiate(&ready, graph, 0));
  OK(cudaGraphLaunch(ready, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(*left == 0 && *rounds == 102);
  cudaGraphNodeParams wrong = loop;
  wrong.conditional.size = 2;
  EXPECT(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &wrong) == cudaErrorInvalidValue);
  cudaGetLastError();
}

inline void note_end(void* ended) { ++*static_cast<int*>(ended); }

// An object of the program lives as long as the graph, or what was made ready of it.
inline void held_objects() {
  int ended = 0;
  cudaUserObject_t object;
  cudaGraph_t graph, clone;
  cudaGraphExec_t ready;
  EXPECT(cudaUserObjectCreate(&object, &ended, note_end, 1, 0) == cudaErrorInvalidValue);
  OK(cudaUserObjectCreate(&object, &ended, note_end, 1, cudaUserObjectNoDestructorSync));
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  OK(cudaGraphClone(&clone, graph));
  OK(cudaGraphInstantiate(&ready, graph, 0));
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphDestroy(clone));
  EXPECT(ended == 0);
  OK(cudaGraphLaunch(ready, nullptr));
  OK(cudaDeviceSynchronize());
  OK(cudaGraphExecDestroy(ready));
  EXPECT(ended == 1);
  EXPECT(cudaUserObjectRelease(object, 1) == cudaErrorInvalidValue);
  cudaGetLastError();
}

inline void attributes() {
  cudaStream_t stream, other;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamCreate(&other));
  cudaStreamAttrValue value{};
  OK(cudaStreamGetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
  EXPECT(value.syncPolicy == cudaSyncPolicyAuto);
  value.accessPolicyWindow.num_bytes = 4096;
  value.accessPolicyWindow.hitRatio = 0.5f;
  OK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
  OK(cudaStreamCopyAttributes(other, stream));
  value = {};
  OK(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &value));
  EXPECT(value.accessPolicyWindow.num_bytes == 4096 && value.accessPolicyWindow.hitRatio == 0.5f);
  value.accessPolicyWindow.hitRatio = 2;
  EXPECT(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value) == cudaErrorInvalidValue);
  EXPECT(cudaStreamGetAttribute(stream, cudaLaunchAttributeCooperative, &value) == cudaErrorInvalidValue);

  cudaGraph_t graph;
  cudaGraphNode_t node;
  OK(cudaGraphCreate(&graph, 0));
  int* values = nullptr;
  int count = 0;
  void* arguments[] = {&values, &count, &count};
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(fill_with);
  launch.gridDim = launch.blockDim = dim3(1);
  launch.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &launch));
  cudaKernelNodeAttrValue of_node{};
  of_node.cooperative = 1;
  OK(cudaGraphKernelNodeSetAttribute(node, cudaKernelNodeAttributeCooperative, &of_node));
  of_node = {};
  OK(cudaGraphKernelNodeGetAttribute(node, cudaKernelNodeAttributeCooperative, &of_node));
  EXPECT(of_node.cooperative == 1);
  cudaGetLastError();
}
