// Graphs, from captured streams and node by node; memory from pools, at addresses of its own, and of other processes.
#include <cuda.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "check.hpp"

__global__ void add(int* sum, int value) { atomicAdd(sum, value); }

#include "graph_nodes.cuh"
#include "loaded.cuh"

__global__ void square(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= values[i];
}
__global__ void number(int* values, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) values[i] = i;
}

void count_call(void* calls) { ++*static_cast<int*>(calls); }

// Two streams that fork and join become a graph, which does nothing until it is launched.
void captures() {
  cudaStream_t main, side;
  cudaEvent_t fork, join;
  OK(cudaStreamCreate(&main));
  OK(cudaStreamCreate(&side));
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));
  int *sum = nullptr, host = 0, calls = 0;
  OK(cudaMalloc(&sum, sizeof *sum));
  OK(cudaMemset(sum, 0, sizeof *sum));
  cudaGraph_t graph;
  OK(cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal));
  add<<<1, 32, 0, main>>>(sum, 1);
  OK(cudaEventRecord(fork, main));
  OK(cudaStreamWaitEvent(side, fork, 0));
  add<<<1, 1, 0, side>>>(sum, 1000);
  OK(cudaEventRecord(join, side));
  OK(cudaStreamWaitEvent(main, join, 0));
  OK(cudaMemcpyAsync(&host, sum, sizeof host, cudaMemcpyDeviceToHost, main));
  OK(cudaLaunchHostFunc(main, count_call, &calls));
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(side, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  OK(cudaStreamEndCapture(main, &graph));
  std::size_t nodes = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 4 && host == 0 && calls == 0);
  cudaGraphExec_t ready;
  OK(cudaGraphInstantiate(&ready, graph, 0));
  for (int i = 1; i <= 3; ++i) {
    OK(cudaGraphLaunch(ready, main));
    OK(cudaStreamSynchronize(main));
    EXPECT(host == 1032 * i && calls == i);
  }

  // The same shape with other numbers takes the place of it, another shape does not.
  cudaGraph_t other;
  OK(cudaStreamBeginCapture(main, cudaStreamCaptureModeRelaxed));
  add<<<1, 1, 0, main>>>(sum, 1);
  OK(cudaStreamEndCapture(main, &other));
  cudaGraphExecUpdateResultInfo info;
  EXPECT(cudaGraphExecUpdate(ready, other, &info) == cudaErrorGraphExecUpdateFailure);
  EXPECT(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  cudaGetLastError();

  // Work that a stream is left with, and calls that no graph can hold, spoil a capture.
  OK(cudaStreamBeginCapture(main, cudaStreamCaptureModeRelaxed));
  EXPECT(cudaStreamSynchronize(main) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(main, &other) == cudaErrorStreamCaptureInvalidated);
  OK(cudaStreamBeginCapture(main, cudaStreamCaptureModeRelaxed));
  OK(cudaEventRecord(fork, main));
  OK(cudaStreamWaitEvent(side, fork, 0));
  add<<<1, 1, 0, side>>>(sum, 1);
  EXPECT(cudaStreamEndCapture(main, &other) == cudaErrorStreamCaptureUnjoined);
  cudaGetLastError();
}

void built_by_hand() {
  constexpr int kCount = 100;
  std::vector<float> from(kCount), to(kCount);
  for (int i = 0; i < kCount; ++i) from[i] = static_cast<float>(i);
  float* values = nullptr;
  OK(cudaMalloc(&values, kCount * sizeof *values));
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t in, kernel, out;
  OK(cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, values, from.data(), kCount * 4, cudaMemcpyHostToDevice));
  int count = kCount;
  void* arguments[] = {&values, &count};
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(square);
  launch.gridDim = dim3(4);
  launch.blockDim = dim3(32);
  launch.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&kernel, graph, &in, 1, &launch));
  OK(cudaGraphAddMemcpyNode1D(&out, graph, &kernel, 1, to.data(), values, kCount * 4, cudaMemcpyDeviceToHost));
  cudaGraph_t clone;
  OK(cudaGraphClone(&clone, graph));
  cudaGraphExec_t ready;
  OK(cudaGraphInstantiate(&ready, clone, 0));
  OK(cudaGraphLaunch(ready, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(to[99] == 99.0f * 99.0f);
  cudaGraphNode_t of_clone;
  OK(cudaGraphNodeFindInClone(&of_clone, kernel, clone));
  launch.gridDim = dim3(1);
  OK(cudaGraphExecKernelNodeSetParams(ready, of_clone, &launch));
  OK(cudaGraphLaunch(ready, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(to[31] == 31.0f * 31.0f && to[32] == 32.0f);
  // Nodes in a circle are no order.
  OK(cudaGraphAddDependencies(graph, &out, &in, nullptr, 1));
  EXPECT(cudaGraphInstantiate(&ready, graph, 0) == cudaErrorInvalidValue);
  cudaGetLastError();
}

void pools() {
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  int* values = nullptr;
  OK(cudaMallocAsync(&values, 4096, stream));
  number<<<1, 256, 0, stream>>>(values, 1024);
  std::vector<int> host(1024);
  OK(cudaMemcpyAsync(host.data(), values, 4096, cudaMemcpyDeviceToHost, stream));
  cudaMemPool_t pool;
  unsigned long long used = 0;
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used == 4096 && host[1023] == 1023);
  OK(cudaFreeAsync(values, stream));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used == 0);
}

// Two pieces of memory, one behind the other. The first time, a driver keeps memory of its own: for the kernel, for
// tables.
void addresses(bool is_first) {
  CUmemAllocationProp what{};
  what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  constexpr std::size_t kPiece = 2 << 20;
  std::size_t before = 0, after = 0, total = 0;
  OK(cudaMemGetInfo(&before, &total));
  CUdeviceptr at = 0;
  CUmemGenericAllocationHandle pieces[2];
  EXPECT(cuMemAddressReserve(&at, 4 * kPiece, 0, 0, 0) == CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    EXPECT(cuMemCreate(&pieces[i], kPiece, &what, 0) == CUDA_SUCCESS);
    EXPECT(cuMemMap(at + i * kPiece, kPiece, 0, pieces[i], 0) == CUDA_SUCCESS);
  }
  OK(cudaMemGetInfo(&after, &total));
  EXPECT(before - after == 2 * kPiece);
  const CUmemAccessDesc access{what.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  EXPECT(cuMemSetAccess(at, 2 * kPiece, &access, 1) == CUDA_SUCCESS);
  constexpr int kCount = 2 * kPiece / sizeof(int);
  number<<<1, 1024>>>(reinterpret_cast<int*>(at), kCount);
  std::vector<int> host(kCount);
  OK(cudaMemcpy(host.data(), reinterpret_cast<void*>(at), 2 * kPiece, cudaMemcpyDeviceToHost));
  EXPECT(host[kCount / 2] == kCount / 2 && host[kCount - 1] == kCount - 1);
  EXPECT(cuMemAddressFree(at, 4 * kPiece) == CUDA_ERROR_INVALID_VALUE);  // there is memory in it
  EXPECT(cuMemUnmap(at, 2 * kPiece) == CUDA_SUCCESS);
  for (const auto piece : pieces) EXPECT(cuMemRelease(piece) == CUDA_SUCCESS);
  OK(cudaMemGetInfo(&after, &total));
  EXPECT(is_first || before == after);
  EXPECT(cuMemcpyDtoH(host.data(), at, 4) == CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemAddressFree(at, 4 * kPiece) == CUDA_SUCCESS);
}

// What the parent tells the child: memory of its own, and memory of a pool that a file names.
struct Message {
  cudaIpcMemHandle_t memory;
  cudaMemPoolPtrExportData of_pool;
};

// Messages from process to process, with a file.
struct Envelope {
  explicit Envelope(Message& message) : part{&message, sizeof message} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = room;
    header.msg_controllen = sizeof room;
  }
  iovec part;
  msghdr header{};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
};

bool send(int to, Message& message, int file) {
  Envelope envelope(message);
  auto* const attached = CMSG_FIRSTHDR(&envelope.header);
  attached->cmsg_level = SOL_SOCKET;
  attached->cmsg_type = SCM_RIGHTS;
  attached->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(attached), &file, sizeof file);
  return sendmsg(to, &envelope.header, 0) == sizeof message;
}

bool receive(int from, Message& message, int& file) {
  Envelope envelope(message);
  if (recvmsg(from, &envelope.header, MSG_WAITALL) != sizeof message) return false;
  const auto* const attached = CMSG_FIRSTHDR(&envelope.header);
  if (attached) std::memcpy(&file, CMSG_DATA(attached), sizeof file);
  return attached != nullptr;
}

// In the child: what the parent allocated.
int of_another_process() {
  Message told;
  int *sum = nullptr, *other = nullptr, value = 0;
  int passed = -1;
  if (!receive(STDIN_FILENO, told, passed)) return 1;
  OK(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&sum), told.memory, cudaIpcMemLazyEnablePeerAccess));
  add<<<1, 1>>>(sum, 2);
  OK(cudaMemcpy(&value, sum, sizeof value, cudaMemcpyDeviceToHost));
  OK(cudaIpcCloseMemHandle(sum));
  const std::intptr_t file = passed;
  cudaMemPool_t pool;
  OK(cudaMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(file), cudaMemHandleTypePosixFileDescriptor,
                                          0));
  OK(cudaMemPoolImportPointer(reinterpret_cast<void**>(&other), pool, &told.of_pool));
  add<<<1, 1>>>(other, 5);
  OK(cudaDeviceSynchronize());
  EXPECT(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&sum), 4, pool, nullptr) == cudaErrorInvalidValue);
  OK(cudaFreeAsync(other, nullptr));
  EXPECT(cudaFree(other) == cudaErrorInvalidValue);
  return value == 42 ? 0 : 1;
}

void processes(const char* self) {
  int ends[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  cudaMemPoolProps what{};
  what.allocType = cudaMemAllocationTypePinned;
  what.location = {cudaMemLocationTypeDevice, 0};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[0], STDIN_FILENO);
    execl(self, self, "child", nullptr);
    _exit(2);
  }
  int *sum = nullptr, *other = nullptr, value = 40, status = 0, file = -1;
  OK(cudaMalloc(&sum, sizeof *sum));
  OK(cudaMemcpy(sum, &value, sizeof value, cudaMemcpyHostToDevice));
  Message told;
  OK(cudaIpcGetMemHandle(&told.memory, sum));

  cudaMemPool_t pool;
  OK(cudaMemPoolCreate(&pool, &what));
  EXPECT(cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0) ==
         cudaErrorInvalidValue);  // is not for others
  OK(cudaMemPoolDestroy(pool));
  what.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  OK(cudaMemPoolCreate(&pool, &what));
  OK(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&other), 4, pool, nullptr));
  OK(cudaMemcpyAsync(other, &value, sizeof value, cudaMemcpyHostToDevice, nullptr));
  OK(cudaDeviceSynchronize());
  OK(cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
  OK(cudaMemPoolExportPointer(&told.of_pool, other));
  EXPECT(cudaMemPoolExportPointer(&told.of_pool, sum) == cudaErrorInvalidValue);
  EXPECT(send(ends[1], told, file));
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  OK(cudaMemcpy(&value, sum, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 42);
  OK(cudaMemcpy(&value, other, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 45);
  cudaGetLastError();
}

int main(int count, char** arguments) {
  if (count > 1) return of_another_process();
  processes(arguments[0]);
  captures();
  built_by_hand();
  pools();
  addresses(true);
  addresses(false);
  captured_memory();
  memory_that_stays();
  decisions();
  held_objects();
  attributes();
  libraries();
  launched_by_the_driver();
  batches();
  kept_memory();
  logs();
  links();
  std::puts("all is well");
}
